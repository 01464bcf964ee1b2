import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accepts, isJsonType, parseMediaType } from "../../../src/core/http/media-type.ts";

describe("a media type", () => {
  it("is read without regard to case, its parameters apart", () => {
    assert.deepEqual(parseMediaType('Text/HTML; Charset="utf-8"; q=1'), { type: "text/html", parameters: new Map([["charset", "utf-8"], ["q", "1"]]) });
    for (const bad of ["", "text", "/", "text/", "/x", "te xt/x", "text/x; a", "text/x; =b", 'text/x; a="b', "text/x; a=1; A=2", "text/x, text/y", 'text/x; a="b"c"', 'text/x; a="b\\"', "text/x\u00a0", "text/x;\u000ba=1", "text/\u212ax", "text/x; \u212a=1"]) {
      assert.equal(parseMediaType(bad), undefined, bad);
    }
  });

  it("is that of JSON in any spelling, with UTF-8 named or not", () => {
    for (const type of ["application/json", "Application/JSON", "application/json; charset=UTF-8", 'application/json;charset="utf-8"', " application/json ; x=y"]) {
      assert.equal(isJsonType(type), true, type);
    }
    for (const type of [undefined, "", "text/json", "application/jsonp", "application/json-seq", "application/json, text/plain", "application/json; charset=utf-16", "\ufeffapplication/json", "application/json\u00a0", "application/json; charset=\"utf-8\"\u00a0"]) {
      assert.equal(isJsonType(type), false, String(type));
    }
  });
});

describe("Accept", () => {
  it("allows what it names, by range too, and all where it is missing", () => {
    for (const accept of [undefined, "*/*", "text/*", "Text/Event-Stream", "text/html, text/event-stream;q=0.1", "text/plain;q=0, */*;q=0.1"]) {
      assert.equal(accepts(accept, "text/event-stream"), true, accept);
    }
  });

  it("refuses what it does not name, or gives no weight; the most specific range decides", () => {
    for (const accept of ["", "application/json", "text/event-stream;q=0", "text/event-stream; q=0.000, */*", "*/*, text/*;q=0", '"text/event-stream"', "text/event-streams"]) {
      assert.equal(accepts(accept, "text/event-stream"), false, accept);
    }
  });
});
