import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";

// The calls between the kit and an adapter: spec/README.md, "The adapter protocol". Both ends are here: `adapterTarget`, `serveAdapter`.

export const ADAPTER_PROTOCOL = 1;

/** The call that opens the conversation. The others are named for the kind of vector that they carry. */
export const HELLO = "hello";

export const ADAPTER_KINDS = ["chain", "descriptor", "dialect"] as const;
export type AdapterKind = (typeof ADAPTER_KINDS)[number];

/** Whose time an adapter's chains wait by: one that moves when all that is left is to wait, or everybody's. */
export type AdapterClock = "scripted" | "real";

/** What an adapter says of itself. */
export interface AdapterHello {
  readonly name: string;
  readonly version?: string;
  /** What it answers; of other kinds it is not asked. */
  readonly kinds: ReadonlySet<string>;
  readonly clock: AdapterClock;
}

/** Reads the answer to `hello`; throws `invalid_message` where it is none, or is of another protocol. */
export function readHello(answer: JsonObject): AdapterHello {
  const { protocol, name, version, kinds, clock = "real" } = answer;
  if (protocol !== ADAPTER_PROTOCOL) throw wrong(`protocol ${JSON.stringify(protocol)} and not ${ADAPTER_PROTOCOL}`);
  if (typeof name !== "string" || name === "") throw wrong("no name");
  if (!Array.isArray(kinds) || kinds.length === 0) throw wrong("no kinds");
  const strange: unknown = kinds.find((kind) => !ADAPTER_KINDS.some((known) => known === kind));
  if (strange !== undefined) throw wrong(`the kind ${JSON.stringify(strange)}; there are ${ADAPTER_KINDS.join(", ")}`);
  if (clock !== "real" && clock !== "scripted") throw wrong(`the clock ${JSON.stringify(clock)}; there are real and scripted`);
  return { name, kinds: new Set(kinds), clock, ...(typeof version === "string" && { version }) };
}

/** Why an adapter does not run a vector, if that is its answer. */
export function unsupportedReason(answer: unknown): string | undefined {
  return isObject(answer) && typeof answer["unsupported"] === "string" ? answer["unsupported"] : undefined;
}

function wrong(what: string): LocalError {
  return new LocalError("invalid_message", `its answer to hello has ${what}`);
}
