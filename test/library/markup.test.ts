import assert from "node:assert/strict";
import { test } from "node:test";
import { shownText, withoutEntities } from "../../src/library/markup.ts";
import { assertLinear } from "./linear.ts";

test("reads character references as what they stand for", () => {
  assert.equal(withoutEntities("&#105;g&#x6E;ore &lt;b&gt; &AMP; &#128512; &#105x"), "ignore <b> & \u{1f600} ix");
  for (const text of ["a & b", "&copy;", "&#99999999;", "&#x110000;", "R&D", "?a=1&b=2"]) assert.equal(withoutEntities(text), text, text);
});

test("leaves out tags within words, and parts words at others", () => {
  assert.equal(shownText("<b>Pass</b><b class='x'>word</b>"), "Password");
  assert.equal(shownText("Name<br/>Word"), "Name Word");
  assert.equal(shownText("1 < 2 && 3 > 2"), "1 < 2 && 3 > 2");
  assert.equal(shownText("a<!-- x -->b"), "ab");
});

test("takes time in proportion to the text", () => {
  assertLinear(shownText, "Please &amp; enter <b>your</b> name&#33; ", ["<", "<b ", "&", "&#", "&#1", "<!--", "</a"]);
});
