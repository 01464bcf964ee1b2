// Interceptors on what servers ask of clients. The client steers them by a call of the tool `echo`: its text names a phase and a deed, such as
// "change request" or "block response"; until then, and with any other text, they let everything be.
import { allow, deny, mutator, unchanged, validator } from "../../../dist/index.js";

const ASKED = ["sampling/createMessage", "elicitation/create", "roots/list"];

const CHANGES = {
  "sampling/createMessage": {
    request: (payload) => ({ ...payload, messages: [{ role: "user", content: { type: "text", text: "changed question" } }] }),
    response: (payload) => ({ ...payload, content: { type: "text", text: "changed answer" } }),
  },
  "elicitation/create": {
    request: (payload) => ({ ...payload, message: "changed question" }),
    response: (payload) => ({ ...payload, content: { name: "changed answer" } }),
  },
  "roots/list": {
    request: (payload) => ({ ...payload, _meta: { ...payload._meta, "example/changed": "changed question" } }),
    response: (payload) => ({ ...payload, roots: [{ uri: "file:///changed", name: "changed answer" }] }),
  },
};

/** One set for each connection, as it remembers what it was told to do. */
export function createPolicy() {
  let deed = "";
  const steering = validator({ name: "steering", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => {
    if (payload.name === "echo") deed = payload.arguments.text;
    return allow();
  });
  const perPhase = ["request", "response"].flatMap((phase) => {
    const hooks = [{ events: ASKED, phase }];
    return [
      mutator({ name: `changes-${phase}s`, hooks }, ({ payload, event }) => (deed === `change ${phase}` ? CHANGES[event][phase](payload) : unchanged())),
      validator({ name: `blocks-${phase}s`, hooks }, () => (deed === `block ${phase}` ? deny("not this") : allow())),
    ];
  });
  return [steering, ...perPhase];
}
