import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseUriTemplate } from "../../../../src/core/mcp/features/server-uri-template.ts";
import { seededRandom } from "../../../support/random.ts";

const matches = (template: string, uri: string) => parseUriTemplate(template).match(uri);

describe("a URI template", () => {
  for (const [template, uri, values] of [
    ["file:///{name}", "file:///a.txt", { name: "a.txt" }],
    ["file:///{name}", "file:///a/b", undefined],
    ["file:///{name}", "file:///", undefined],
    ["file:///{name}", "FILE:///a", undefined],
    ["file:///{name}", "file:///a?q", undefined],
    ["file:///{+path}", "file:///a/b?c#d", { path: "a/b?c#d" }],
    ["repo://{owner}/{name}/issues/{id}", "repo://o/n/issues/7", { owner: "o", name: "n", id: "7" }],
    ["repo://{owner}/{name}", "repo://o/n/x", undefined],
    ["x:{+a}/{b}", "x:p/q/r", { a: "p/q", b: "r" }],
    ["x:{+path}/edit", "x:a/edit/b/edit", { path: "a/edit/b" }],
    ["x:{a}-{b}", "x:p-q-r", { a: "p-q", b: "r" }],
    ["x:{+path}.{ext}", "x:a.b.c", { path: "a.b", ext: "c" }],
    ["x:{a,b}", "x:1,2", { a: "1", b: "2" }],
    ["x{/a}", "x/1", { a: "1" }],
    ["x{/a,b}", "x/1/2", { a: "1", b: "2" }],
    ["x{/rest*}", "x/1/2/3", { rest: "1/2/3" }],
    ["x{/a}", "x/1/2", undefined],
    ["x{.ext}", "x.tar", { ext: "tar" }],
    ["x{#part}", "x#a/b", { part: "a/b" }],
    ["x{?q,n}", "x?q=1&n=2", { q: "1", n: "2" }],
    ["x?a=1{&b}", "x?a=1&b=2", { b: "2" }],
    ["x:{a}", "x:%C3%A9%2Fz", { a: "é/z" }],
    ["x:{a}", "x:%", undefined],
    ["x:{a}", "x:%ff", undefined],
    ["plain:1", "plain:1", {}],
    ["plain:1", "plain:12", undefined],
    ["x:{__proto__}", "x:1", Object.fromEntries([["__proto__", "1"]])],
  ] as const) {
    test(`${template} ${values === undefined ? "does not stand" : "stands"} for ${uri}`, () => assert.deepEqual(matches(template, uri), values));
  }

  for (const template of ["x:{a", "x:a}", "x:{}", "x:{;a}", "x:{a:3}", "x:{a b}", "x:{a}{/a}", "x:{|a}", "x:{a,}"]) {
    test(`${template} is refused`, () => assert.throws(() => parseUriTemplate(template), { code: "invalid_argument" }));
  }

  test("names its variables in order", () => assert.deepEqual(parseUriTemplate("x:{b}{/a,c}{?d}").variables, ["b", "a", "c", "d"]));

  test("gives back the values that a URI was made from, whatever they are", () => {
    const seed = 20260801;
    const random = seededRandom(seed);
    const value = () => Array.from({ length: 1 + random.below(6) }, () => random.pick(["a", "/", "?", "é", "%", "-", ".", ",", "😀", " "])).join("");
    for (let round = 0; round < 300; round++) {
      const [a, b] = [value(), value()];
      assert.deepEqual(matches("x://{a}/z/{b}", `x://${encodeURIComponent(a)}/z/${encodeURIComponent(b)}`), { a, b }, `seed ${seed}, round ${round}`);
    }
  });

  test("takes time and space that grow with the URI alone (case 57)", () => {
    const template = parseUriTemplate("x:{+a}-{+b}-{+c}-{+d}-{+e}!");
    const started = process.cpuUsage();
    assert.equal(template.match(`x:${"-".repeat(65_000)}`), undefined);
    const { user, system } = process.cpuUsage(started);
    assert.ok(user + system < 1_000_000, `${user + system} µs`);
    assert.equal(template.match(`x:1-2-3-4-5${"!".repeat(70_000)}`), undefined, "too long to be looked at");
  });
});
