/**
 * What a password is called in other languages, in lower case: the one table of `secret-guard` and `elicitation-guard`. Those of `ENDINGS` also end longer names (`Benutzerkennwort`,
 * `ログインパスワード`); a word or phrase of `WORDS` counts by itself.
 */
export const ENDINGS: readonly string[] = [
  ...["passwort", "kennwort", "wachtwoord", "mot de passe", "palavra-passe", "contraseña", "contrasenya", "lösenord", "passord", "adgangskode", "salasana", "lozinka"],
  ...["пароль", "пароля", "парола", "лозинка", "κωδικός πρόσβασης", "συνθηματικό", "סיסמה", "סיסמא", "كلمة المرور", "كلمة السر", "पासवर्ड", "รหัสผ่าน", "mật khẩu", "kata sandi"],
  ...["密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호"],
];

export const WORDS: readonly string[] = ["senha", "heslo", "geslo", "hasło", "haslo", "jelszó", "jelszo", "parola", "parolă", "parole d'ordine", "şifre", "sifre", "parolanız", "şifreniz"];

/** A form that files write where they have no accents. */
const PLAIN: readonly string[] = ["contrasena", "losenord"];

/** With accents in one with their letters, and apart, as some systems write file names and texts. */
const written = (list: readonly string[]) => [...new Set(list.flatMap((word) => [word, word.normalize("NFD")]))];

const words = (list: readonly string[]) => written(list).map((word) => word.replace(/[ -]/g, "[ _-]?")).join("|");

/** What the name of a password ends with in other languages; the name in lower case. */
export const FOREIGN_PASSWORD = new RegExp(`(?:(?:${words([...ENDINGS, ...PLAIN])})|(?:^|[^\\p{L}])(?:${words(WORDS)}))$`, "u");

const TAILS: ReadonlySet<string> = new Set(written([...ENDINGS, ...PLAIN, ...WORDS]).map((word) => word.slice(-2)));

/** The tails that end in a letter of ASCII behind one that is none, by which a search for names goes. */
export const MIXED_TAILS: readonly string[] = [...TAILS].filter((tail) => /[^\0-\x7f][a-z]/.test(tail));

/** A cheap sign of such a name: how it ends. */
export function mayNameForeign(text: string, end: number): boolean {
  return TAILS.has(text.slice(Math.max(0, end - 2), end).toLowerCase());
}

/** The longest of them, and what may part their words. */
export const MOST_FOREIGN = 24;
