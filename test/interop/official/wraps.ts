import { fixture } from "./paths.ts";

/** Ways to be in between. Interceptors that see everything and change nothing belong to them: then every message goes through the chain. */
export const WRAPS: readonly { readonly name: string; readonly options: readonly string[] }[] = [
  { name: "posture client", options: ["--posture", "client"] },
  { name: "posture server", options: ["--posture", "server"] },
  { name: "posture client, all hooked", options: ["--interceptors", fixture("pass-through.mjs")] },
  { name: "posture server, all hooked", options: ["--posture", "server", "--interceptors", fixture("pass-through.mjs")] },
];
