import { plainWords } from "./look-alike.ts";
import { ENDINGS, WORDS } from "./secrets/foreign-passwords.ts";

// What forms of other languages than English ask for beside passwords. As for these, an ending of a word counts where it is long enough, or of a script without spaces.
const OTHERS: readonly string[] = [
  ...["geheimzahl", "sicherheitscode", "zugangsdaten", "kreditkartennummer", "kontonummer", "sozialversicherungsnummer", "geheimschlüssel", "zugangscode"],
  ...["code secret", "code de sécurité", "numéro de carte", "carte bancaire", "clé secrète", "clé api", "code confidentiel"],
  ...["código de seguridad", "número de tarjeta", "clave secreta", "clave de acceso", "código de verificación", "número de cartão", "número do cartão", "código de segurança", "chave secreta", "chave de acesso"],
  ...["numero di carta", "codice di sicurezza", "codice segreto", "beveiligingscode", "kaartnummer", "toegangscode", "pincode"],
  ...["код подтверждения", "номер карты", "секретный ключ", "пин-код", "验证码", "驗證碼", "信用卡号", "银行卡号", "身份证号", "密钥", "認証コード", "カード番号", "秘密鍵", "인증번호", "카드번호", "카드 번호"],
];

const partsOf = (phrase: string) => plainWords(phrase).toLowerCase().replace(/['-]/g, (mark) => (mark === "-" ? " " : "")).split(" ");

const SPACELESS = /^[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+$/;
const LEAST_ENDING = 8;

const PHRASES: ReadonlySet<string> = new Set([...ENDINGS, ...WORDS, ...OTHERS].map((phrase) => partsOf(phrase).join(" ")));
const WORD_ENDINGS = [...ENDINGS, ...OTHERS].map(partsOf).flatMap(([word = "", second]) => (second === undefined && (SPACELESS.test(word) || word.length >= LEAST_ENDING) ? [word] : []));
const MOST_WORDS = 3;

/** Whether words end with what a secret is called in another language than English; as {@link wordsOf} gives them. Where words are not parted, what stands in one counts. */
export function endsInForeignSecret(words: readonly string[], end: number): boolean {
  for (let count = 1; count <= Math.min(MOST_WORDS, end); count++) if (PHRASES.has(words.slice(end - count, end).join(" "))) return true;
  const last = words[end - 1] ?? "";
  return last > "\u007f" && SPACELESS.test(last) ? !DENIES_WITHOUT_SPACES.test(last) && WORD_ENDINGS.some((ending) => last.slice(-MOST_CHARS).endsWith(ending)) : last.length < MOST_CHARS && WORD_ENDINGS.some((ending) => last.endsWith(ending));
}

const MOST_CHARS = 60;

const ASKS: ReadonlySet<string> = new Set(
  [
    ...["eingeben", "gib", "geben", "angeben", "nennen", "eintippen", "entrez", "entrer", "saisissez", "saisir", "indiquez", "fournissez", "tapez", "introduzca", "introduce", "introducir", "ingrese", "ingresa", "escriba", "escribe", "indique", "proporcione"],
    ...["digite", "insira", "informe", "introduza", "forneça", "voer", "invoeren", "vul", "geef", "typ", "inserisci", "inserire", "inserite", "digita", "fornisci", "podaj", "wpisz", "wprowadź", "zadejte", "girin", "giriniz", "ange", "skriv", "indtast", "oppgi", "anna", "masukkan", "nhập"],
    ...["введите", "укажите", "напишите", "сообщите", "введіть", "εισάγετε", "أدخل", "הזן", "הכנס"],
  ].map((word) => partsOf(word).join("")),
);
const DENIES: ReadonlySet<string> = new Set(
  ["nie", "niemals", "nicht", "kein", "keine", "ohne", "jamais", "pas", "nunca", "jamás", "nooit", "niet", "geen", "mai", "non", "nigdy", "никогда", "не", "aldrig", "asla"].map((word) => partsOf(word).join("")),
);
const ASKS_WITHOUT_SPACES = /输入|輸入|填写|提供|入力|教えて|입력|알려/;
const DENIES_WITHOUT_SPACES = /不要|请勿|勿|别|不会|無需|无需|ないで|しません|마세요|않습니다/;

/** Whether the words of a sentence ask for such a secret: one that asks before or behind it, and none that denies. */
export function asksInForeign(words: readonly string[]): boolean {
  let asks = false;
  let names = false;
  for (const [index, word] of words.entries()) {
    if (DENIES.has(word)) return false;
    asks ||= ASKS.has(word);
    names ||= endsInForeignSecret(words, index + 1);
    if (word <= "\u007f" || !UNSPACED.test(word)) continue;
    if (DENIES_WITHOUT_SPACES.test(word)) return false;
    asks ||= ASKS_WITHOUT_SPACES.test(word);
    names ||= UNSPACED_ENDINGS.test(word);
  }
  return asks && names;
}

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
// A particle may be glued to it. What is a policy, a length or a change of one is none.
const UNSPACED_ENDINGS = new RegExp(`(?:${WORD_ENDINGS.filter((word) => SPACELESS.test(word)).join("|")})(?!策略|长度|強度|强度|提示|重置|管理|ポリシー|長|の長|リセット|정책|길이)`);
