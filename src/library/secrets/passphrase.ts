// What stands in sentences about passwords, and in few that are made of words picked at random.
const OF_SENTENCES: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can cannot could did do does enter field for forgot from has have here if in invalid is it its least less long longer match matches may minimum maximum missing more " +
    "must my new no not of old on one only or password passwords passphrase please provide required reset same secret shall short should so that the their then there this to token too type use used user users " +
    "valid value was when where which will with without wrong you your character characters letter letters number numbers empty expired incorrect confirm confirmation change current account login sign set api key keys"
  ).split(" "),
);

const MOST_CHARS = 128;
const FEWEST_WORDS = 4;
const MOST_WORDS = 12;

/** Whether a text of several words says something, as messages and labels do, and is no phrase. */
export function isSentence(text: string): boolean {
  return text.split(/\s+/).some((word) => OF_SENTENCES.has(word.toLowerCase().replace(/[.,:;!?]+$/, "")));
}

/** `correct horse battery staple`: four words or more, all small or all with a capital, of which none makes a sentence. Digits may stand among them. */
export function isPassphrase(text: string): boolean {
  if (text.length > MOST_CHARS) return false;
  const words = text.split(" ");
  if (words.length < FEWEST_WORDS || words.length > MOST_WORDS || isSentence(text)) return false;
  return words.every((word) => /^(?:[a-z]{2,12}|[0-9]{1,6})$/.test(word)) || words.every((word) => /^(?:[A-Z][a-z]{1,11}|[0-9]{1,6})$/.test(word));
}
