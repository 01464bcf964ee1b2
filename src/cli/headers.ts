import { describeError } from "../core/base/errors.ts";
import { checkHeaders } from "../core/http/client-call.ts";
import { UsageError } from "./errors.ts";

/** The headers in `--header`: `NAME:VALUE`, or `NAME=VALUE`; `undefined` where there are none. Values may be secrets, and are not quoted in the `UsageError`. */
export function headersOption(values: ReadonlyMap<string, readonly string[]>): Readonly<Record<string, string>> | undefined {
  const words = values.get("header");
  if (words === undefined) return undefined;
  const headers = Object.fromEntries(
    words.map((word) => {
      // No name of a header has either in it.
      const [, name, value] = /^([^:=\s]+)[:=]\s*(.*)$/s.exec(word) ?? [];
      if (name === undefined || value === undefined) throw new UsageError("--header must be NAME:VALUE", "--header 'Authorization: Bearer …'");
      return [name, value];
    }),
  );
  try {
    checkHeaders(headers);
  } catch (thrown) {
    throw new UsageError(`--header: ${describeError(thrown)}`);
  }
  return headers;
}
