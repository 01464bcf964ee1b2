// Words that a statement starts with, in one database or another.
const STATEMENT =
  /^(?:select|insert|update|delete|replace|merge|upsert|drop|alter|create|truncate|rename|grant|revoke|exec|execute|call|do|begin|start|commit|rollback|savepoint|release|set|reset|declare|copy|load|attach|detach|pragma|use|with|values|table|vacuum|analyze|explain|prepare|deallocate|lock|unlock|handler|kill|shutdown|waitfor|backup|restore|import|export|install|show|describe|comment|cluster|refresh|listen|notify|discard|security|if|while|print)\b/i;
const LONGEST_WORD = 12;

/**
 * Whether a text holds a second SQL statement: after a semicolon that stands in no string, quoted name or comment, a word comes that a statement starts
 * with. A backslash in a string escapes the quote after it in some databases and not in others, so both readings count.
 */
export function stacksStatements(text: string): boolean {
  return text.includes(";") && (stacks(text, false) || (text.includes("\\") && stacks(text, true)));
}

function stacks(text: string, backslashEscapes: boolean): boolean {
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "'" || character === '"' || character === "`") {
      at = quoteEnd(text, at, backslashEscapes);
    } else if (isComment(text, at)) {
      at = commentEnd(text, at) - 1;
    } else if (character === ";") {
      at++;
      for (let skipped = at - 1; skipped !== at; ) {
        skipped = at;
        while (/[\s;]/.test(text.charAt(at))) at++;
        if (isComment(text, at)) at = commentEnd(text, at);
      }
      if (STATEMENT.test(text.slice(at, at + LONGEST_WORD))) return true;
      at--;
    }
  }
  return false;
}

// The index of the quote that ends what begins at `start`, or of the end of the text. A doubled quote ends it and begins another.
function quoteEnd(text: string, start: number, backslashEscapes: boolean): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === quote) return at;
    if (backslashEscapes && text[at] === "\\") at++;
  }
  return text.length;
}

// `/*! … */` runs in MySQL. `--` without a space after it, and `#`, are comments in some databases only: what follows counts.
function isComment(text: string, at: number): boolean {
  if (text.startsWith("/*", at)) return text[at + 2] !== "!";
  return text.startsWith("--", at) && !/\S/.test(text.charAt(at + 2));
}

function commentEnd(text: string, at: number): number {
  const end = text[at] === "/" ? text.indexOf("*/", at + 2) : text.indexOf("\n", at);
  return end === -1 ? text.length : end + (text[at] === "/" ? 2 : 1);
}

// `or`, `and` and their signs where SQL would have them, not in the middle of a name (`this-or-1`), and what may stand before what they join.
const JOINS = String.raw`(?:(?<![-\w])(?:x?or|and)(?:\s|(?=[^\w\s]))|(?<=\d)(?:x?or|and)(?=[\s('"~!])|\|\||&&)(?:not\b|[-+~!(\s]){0,40}`;
// Names and numbers.
const OPERAND = String.raw`[\w.]{1,64}`;

// What turns a value into more than one: a comment, a quote that goes on as SQL, a condition that always holds, another query, calls that wait or read.
const BREAKS_OUT = [
  /\/\*|\*\//,
  /--(?:\s|$)|['"`);\s]--|['"`]\s{0,20}#/,
  /['"`)]\s{0,20}(?:\|\||&&|;|(?:or|and|union|having|order|group|limit|into|like|between|is|in)\b)/i,
  /\b(?:or|and)\s{1,20}(?:not\s{1,20})?[\w'"`().]{1,64}\s{0,20}(?:=|<|>|!=)/i,
  // Of itself: a number, a text, a constant, a query, a call.
  new RegExp(String.raw`${JOINS}(?:[\d'"@]|(?:true|false|null|unknown|exists|select|case)\b|${OPERAND}\()`, "i"),
  new RegExp(String.raw`${JOINS}${OPERAND}\s{1,20}(?:is\s{1,20}(?:not\s{1,20})?(?:null|true|false|unknown|distinct)\b|isnull\b|notnull\b|(?:not\s{1,20})?(?:in\s{0,20}\(|between\s{1,20}\S{1,64}\s{1,20}and\b|(?:i?like|rlike|regexp|glob)\s{0,20}['"(]))`, "i"),
  new RegExp(String.raw`${JOINS}(${OPERAND})\s{1,20}(?:i?like|rlike|regexp|glob)\s{1,20}\1(?![\w.])`, "i"),
  /\bunion\s{1,20}(?:all\s{1,20}|distinct\s{1,20})?select\b/i,
  /\b(?:sleep|benchmark|pg_sleep|load_file|extractvalue|updatexml|xp_cmdshell|dbms_\w{1,30}\.\w{1,30})\s{0,20}\(/i,
  /\bwaitfor\s{1,20}delay\b|\binto\s{1,20}(?:outfile|dumpfile)\b/i,
];

/** Whether a text that should be one value in an SQL statement would be more than that. */
export function breaksOutOfValue(text: string): boolean {
  return stacksStatements(text) || BREAKS_OUT.some((pattern) => pattern.test(text));
}
