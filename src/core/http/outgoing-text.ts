import { utf8Length } from "../base/bytes.ts";
import { LocalError } from "../base/errors.ts";
import type { Limits } from "../base/limits.ts";
import { encodeText } from "../transport/ndjson.ts";
import type { Frame } from "../wire/frame.ts";

/** A frame as the one line of text that is sent. Throws `not_json` and `limit_exceeded`, as `Transport.send` rejects. */
export function outgoingText(frame: Frame, limits: Limits): string {
  const text = encodeText(frame, limits.maxDepth, limits.maxMessageBytes);
  const { maxMessageBytes } = limits;
  // No character takes more than three bytes a unit.
  if (text.length * 3 <= maxMessageBytes) return text;
  const bytes = utf8Length(text);
  if (bytes <= maxMessageBytes) return text;
  throw new LocalError("limit_exceeded", `the message has ${bytes} bytes, at most ${maxMessageBytes} may be sent`, { details: { bytes, maxMessageBytes } });
}
