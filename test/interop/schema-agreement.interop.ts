// Our validators and those of the official SDKs, on the message corpus. Each difference is listed with its reason.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { judgeCase, loadCorpus, type CorpusCase } from "../support/message-corpus.ts";
import { DIFFERENCES } from "./schema-agreement-differences.ts";
import { judge1, judge2, type Judge } from "./schema-agreement-official.ts";
import { RULES } from "./schema-agreement-rules.ts";
import { variantsOf } from "./schema-agreement-variants.ts";

const corpus = loadCorpus();

const SDKS: readonly { name: "1.x" | "2.x"; judge: Judge; atLeast: number; unknown: readonly string[] }[] = [
  {
    name: "1.x",
    judge: judge1,
    atLeast: 390,
    unknown: ["error", "input", "notifications/subscriptions/acknowledged", "server/discover", "subscriptions/listen"],
  },
  { name: "2.x", judge: judge2, atLeast: 420, unknown: ["error", "input"] },
];

/** What a part is about, where an SDK has no validator for it. */
function subjectOf({ part }: CorpusCase): string {
  if (part.kind === "message" || part.kind === "error") return part.kind;
  return part.kind === "result" && part.as === "input" ? "input" : part.method;
}

test("every listed difference names messages of the corpus, once for each SDK", () => {
  const ids = new Set(corpus.map(({ id }) => id));
  const listed = DIFFERENCES.flatMap(({ sdk, ids: named }) =>
    (sdk === "both" ? ["1.x", "2.x"] : [sdk]).flatMap((name) => named.map((id) => `${name} ${id}`)),
  );
  assert.equal(new Set(listed).size, listed.length);
  for (const { ids: named } of DIFFERENCES) for (const id of named) assert.ok(ids.has(id), `${id} is not in the corpus`);
});

for (const { name, judge, atLeast, unknown } of SDKS) {
  const totals = { agree: 0, differ: 0, unknown: 0 };
  let variants = 0;
  const expected = new Map(
    DIFFERENCES.filter(({ sdk }) => sdk === "both" || sdk === name).flatMap(({ theirs, ids }) => ids.map((id) => [id, theirs] as const)),
  );

  test(`SDK ${name} judges the corpus as we do, but for the listed differences`, () => {
    const surprises: string[] = [];
    const withoutValidator = new Set<string>();
    for (const item of corpus) {
      const theirs = judge(item.part);
      if (theirs === undefined) {
        totals.unknown++;
        withoutValidator.add(subjectOf(item));
        continue;
      }
      const ours = judgeCase(item) === undefined;
      if (theirs === ours) totals.agree++;
      else totals.differ++;
      const found = theirs === ours ? undefined : theirs ? "accepts" : "refuses";
      if (found !== expected.get(item.id)) {
        surprises.push(found === undefined ? `${item.id}: agrees now, take it off the list` : `${item.id}: SDK ${name} ${found} it`);
      }
    }
    assert.deepEqual(surprises, []);
    assert.deepEqual([...withoutValidator].sort(), unknown);
    assert.ok(totals.agree >= atLeast, JSON.stringify(totals));
  });

  test(`SDK ${name} judges each variant of a valid message as we do, but for the listed rules`, () => {
    const rules = RULES.filter(({ sdk }) => sdk === "both" || sdk === name);
    const used = new Set<RegExp>();
    const surprises = new Set<string>();
    let agree = 0;
    for (const item of corpus) {
      // Where the message itself is judged otherwise, its variants say nothing new.
      if (judge(item.part) !== item.valid) continue;
      for (const variant of variantsOf(item)) {
        const theirs = judge(variant.item.part);
        if (theirs === (judgeCase(variant.item) === undefined)) {
          agree++;
          continue;
        }
        const found = theirs ? "accepts" : "refuses";
        const rule = rules.find((candidate) => candidate.theirs === found && candidate.about.test(variant.label));
        if (rule === undefined) surprises.add(`SDK ${name} ${found} ${variant.label}`);
        else used.add(rule.about);
      }
    }
    assert.deepEqual([...surprises], []);
    assert.deepEqual(
      rules.filter(({ about }) => !used.has(about)).map(({ about }) => String(about)),
      [],
      "rules that match nothing",
    );
    assert.ok(agree > 4_000, `${agree} variants agree`);
    variants = agree;
  });

  after(() => console.log(`SDK ${name} on ${corpus.length} messages: ${JSON.stringify(totals)}; on variants of them: ${variants} agree`));
}
