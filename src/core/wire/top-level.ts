import { isRequestId, type RequestId } from "./message.ts";

/** What can be said of a message whose text was refused. */
interface TopLevel {
  /** Only where the text has exactly one `id`, in whatever case, and it is usable. */
  readonly id?: RequestId;
  /** It has `result` or `error`, and no `method`. */
  readonly answers: boolean;
  /** As `InvalidFrame` has it. */
  readonly ends?: readonly RequestId[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Reads the members of the outermost object that tell whom a message concerns, from a text that no parser may be trusted with: it holds a
 * key twice, or is too deep or too large. One pass, no recursion, nothing built but the keys of the outermost object.
 */
export function readTopLevel(text: string): TopLevel {
  let ids = 0;
  let id: unknown;
  let asks = false;
  let bare = true; // it says nothing of what it is
  let named = false; // it says that it is JSON-RPC
  let answers = false;

  let depth = 0;
  let key: string | undefined; // of the member that is being read; known from its colon to the next comma
  let lastString: string | undefined; // what may turn out to be a key
  let valueStart = 0;
  const endMember = (end: number): void => {
    if (key === undefined) return;
    if (key.toUpperCase() === "ID") {
      ids++;
      id = key === "id" ? parseScalar(text.slice(valueStart, end)) : undefined;
    }
    if (key === "method") asks = true;
    if (/^(?:method|params)$/i.test(key)) bare = false;
    if (key === "jsonrpc") named = true;
    if (key === "result" || key === "error") answers = true;
    key = undefined;
  };

  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = closingQuote(text, at);
        if (depth === 1 && key === undefined) lastString = text.slice(at, end + 1);
        at = end;
        break;
      }
      case COLON:
        if (depth === 1 && key === undefined) {
          const parsed = parseScalar(lastString ?? "");
          key = typeof parsed === "string" ? parsed : "";
          valueStart = at + 1;
        }
        break;
      case COMMA:
        if (depth === 1) endMember(at);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (depth === 0 && text.charCodeAt(at) === 0x5b) return { answers: false };
        depth++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (depth === 1) endMember(at);
        depth--;
        break;
    }
  }
  const isAnswer = answers && !asks;
  if (ids !== 1 || !isRequestId(id)) return { answers: isAnswer };
  return { id, answers: isAnswer, ...(isAnswer || (named && (bare || answers)) ? { ends: [id] } : {}) };
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

// Ids and keys are short: what is longer is none that we would use, and not worth a copy.
const LONGEST_SCALAR = 1_000;

function parseScalar(lexeme: string): unknown {
  if (lexeme.length > LONGEST_SCALAR) return undefined;
  try {
    return JSON.parse(lexeme);
  } catch {
    return undefined;
  }
}
