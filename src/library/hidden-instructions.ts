import { plainWords } from "./look-alike.ts";
import { withoutEntities } from "./markup.ts";
import { signalsIn, type SignalId, WEAK } from "./signals.ts";

// What `injection-signals` finds in any text, as far as the description of a tool has no business to say it. Descriptions tell a model what to call, what to send and what to
// show, and firewalls override existing rules: of such signs only those count whose words are about instructions, or about silence.
const SIGNALS: ReadonlyMap<SignalId, readonly [evidence: RegExp, problem: string]> = new Map([
  ["override", [/(?:previous|prior|above|earlier|your)\b.{0,60}rule|instruction|prompt|guideline|directive|anweisung|vorgabe|instruc|istruzion|指|инструкци|указани|told|taught|asked|the user (?:said|want)/i, "speaks against other instructions"]],
  ["secrecy", [/\b(?:tell|inform|mention|reveal|notify|alert|disclos|let|mak(?:e|ing)|hide|conceal|withhold|keep|secretly)/i, "asks to keep something from the user"]],
  // What sends is what tools do; who has first to read a file with keys is the model.
  ["exfiltration", [/^(?:read|open|load|cat|fetch|get)\b/i, "asks for what a file with keys holds"]],
  ["role-marker", [/./, "has a mark that sets another role"]],
  ["hidden", [/./, "has markup that hides text"]],
  ["encoded", [/./, "has encoded text that speaks to the model"]],
]);
// `<instructions>` alone is as often what a user has to fill in, so its end counts.
const TAG = /<\/?\s{0,5}(?:important|critical|urgent|override|instructions_for_(?:ai|model|assistant|llm))(?:\s[^<>]{0,200})?\/?>|<\/?\s{0,5}hidden\s{0,5}>|<\/\s{0,5}instructions?\s{0,5}>/i;
const SPACES = 80;
const BREAKS = 15;

/**
 * Why a text that describes a tool or prompt holds instructions that people are not to see or hear of: words against other instructions or against telling the
 * user, markup that does not show, tags such as `<IMPORTANT>`, or what stands far off the page. Undefined where there is no sign of it. A guess, and linear.
 */
export function hiddenInstruction(text: string): string | undefined {
  for (const { id, weight, evidence } of signalsIn(text)) {
    if (weight <= WEAK) continue;
    const [words, problem] = SIGNALS.get(id) ?? [];
    if (problem !== undefined && words?.test(evidence) === true) return problem;
  }
  if (TAG.test(plainWords(withoutEntities(text)))) return "has a tag that addresses the model";
  return hasGap(text) ? "has text far off behind spaces or line breaks" : undefined;
}

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
