import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../../src/cli/errors.ts";
import { workersOption } from "../../src/cli/gateway-primary.ts";

const asked = (text: string) => workersOption(new Map([["workers", [text]]]));

describe("the number of workers", () => {
  it("is a whole one from 1 to 64, that of the cores, or nobody's wish", () => {
    assert.deepEqual([asked("1"), asked("64"), workersOption(new Map())], [1, 64, undefined]);
    const auto = asked("auto") ?? 0;
    assert.ok(auto >= 1 && auto <= 64, String(auto));
    for (const text of ["0", "65", "1.5", "-1", "", "2 ", "all"]) assert.throws(() => asked(text), UsageError, text);
  });
});
