import { plainWords } from "./look-alike.ts";
import { withoutEntities } from "./markup.ts";
import { everySignalIn, type SignalId, WEAK } from "./signals.ts";

// What `injection-signals` finds in any text, as far as the description of a tool has no business to say it. Descriptions tell a model what to call, what to send and what to
// show, and firewalls override existing rules: of such signs only those count whose words are about instructions, or about silence.
const SIGNALS: ReadonlyMap<SignalId, readonly [evidence: RegExp, problem: string]> = new Map([
  ["override", [/(?:previous|prior|above|earlier|your)\b.{0,60}rule|instruction|prompt|guideline|directive|anweisung|vorgabe|instruc|istruzion|指|инструкци|указани|told|taught|asked|the user (?:said|want)|above|before this|your training|your (?:real|actual|true|(?:own )?(?:system|rules))|user's (?:request|question)/i, "speaks against other instructions"]],
  ["secrecy", [/\b(?:tell|inform|mention|reveal|notify|alert|disclos|let|mak(?:e|ing)|hide|conceal|withhold|keep|secretly|say|know|upset|silently|quietly|covertly|discreetly|in secret)/i, "asks to keep something from the user"]],
  // What sends is what tools do; who has first to read a file with keys is the model.
  ["exfiltration", [/^(?:read|open|load|cat|fetch|get)\b|contents? of\b.*(?:\.ssh|id_(?:rsa|dsa|ecdsa|ed25519)|\.aws|\.env|mcp\.json|\.netrc|\.npmrc|\.git-credentials|\.kube|shadow|passwd)/i, "asks for what a file with keys holds"]],
  ["jailbreak", [/./, "wants the model without its limits"]],
  // What asks for a system prompt may be what keeps some; what is the model's own is none.
  ["prompt-leak", [/\b(?:your|above|before this)\b/i, "asks for the model's own instructions"]],
  ["shadowing", [/./, "changes what other tools do"]],
  ["role-marker", [/./, "has a mark that sets another role"]],
  ["hidden", [/./, "has markup that hides text"]],
  ["encoded", [/./, "has encoded text that speaks to the model"]],
]);
// `<instructions>` alone is as often what a user has to fill in, so its end counts.
const TAG = /<\/?\s{0,5}(?:important|critical|urgent|override|instructions_for_(?:ai|model|assistant|llm))(?:\s[^<>]{0,200})?\/?>|<\/?\s{0,5}hidden\s{0,5}>|<\/\s{0,5}instructions?\s{0,5}>/gi;
const SPACES = 80;
const BREAKS = 15;

/**
 * Why a text that describes a tool or prompt holds instructions that people are not to see or hear of: words against other instructions or against telling the
 * user, markup that does not show, tags such as `<IMPORTANT>`, or what stands far off the page. Undefined where there is no sign of it. A guess, and linear.
 */
export function hiddenInstruction(text: string): string | undefined {
  for (const { id, weight, evidence } of everySignalIn(text)) {
    if (weight <= WEAK) continue;
    const [words, problem] = SIGNALS.get(id) ?? [];
    if (problem !== undefined && words?.test(evidence) === true) return problem;
  }
  if (usesTag(plainWords(withoutEntities(text)))) return "has a tag that addresses the model";
  return hasGap(text) ? "has text far off behind spaces or line breaks" : undefined;
}

// `the <important> tag`, `tags such as <hidden>`, `<IMPORTANT> is not a tag`: what is said about tags, in which none holds anything.
const ABOUT_TAG = /^["'`)]{0,2},?\s(?:(?:is|are|or|and|nor|in|as|means|html|xml|not|no|an?|the|closing|opening|custom|allowed|supported|<\/?[a-z_]{1,30}>)[,"'`]{0,2}\s){0,6}(?:tags?|elements?|blocks?|markers?|placeholders?)\b/i;
const BEFORE_TAG = /\b(?:tags?|elements?|blocks?|markers?|placeholders?)(?:\s(?:such as|like|named|called|of|are|is))?[\s:("'`]{1,3}(?:<\/?[a-z_]{1,30}>["'`]{0,2}(?:,?\s(?:and|or)\s|,\s)["'`]{0,2}){0,3}$/i;
const NEAR = 100;

/** Whether a text has such a tag that is not only spoken of: what stands between two of them is its content. */
function usesTag(text: string): boolean {
  let lastEnd: number | undefined;
  for (const { 0: tag, index } of text.matchAll(TAG)) {
    const end = index + tag.length;
    const isContent = lastEnd !== undefined && tag.includes("/") && /[a-z]{2}(?<!\b(?:and|or|to|with|until))["'`]{0,2}\s?$/i.test(text.slice(lastEnd, index).slice(-NEAR));
    if (isContent) return true;
    if (!ABOUT_TAG.test(text.slice(end, end + NEAR)) && !BEFORE_TAG.test(text.slice(Math.max(0, index - NEAR), index)) && !(lastEnd === undefined && PAIR.test(text.slice(end, end + NEAR)))) return true;
    lastEnd = end;
  }
  return false;
}

// A pair that is named: `<important> and </important> tags`, `<important>…</important> tags`.
const PAIR = /^["'`]{0,2}\s?(?:and|or|to|with|until|\.{3}|\u2026)?\s?["'`]{0,2}<\/[a-z_]{1,30}>["'`]{0,2}\s(?:tags?|elements?|blocks?|markers?|placeholders?)\b/i;

function hasGap(text: string): boolean {
  let spaces = 0;
  let breaks = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\n") {
      breaks++;
      spaces = 0;
    } else if (character === " " || character === "\t" || character === "\u00a0" || character === "\u3000" || character === "\r") {
      spaces++;
    } else {
      // A bar is the next cell of a table.
      if ((spaces >= SPACES && character !== "|") || breaks >= BREAKS) return true;
      spaces = breaks = 0;
    }
  }
  return false;
}
