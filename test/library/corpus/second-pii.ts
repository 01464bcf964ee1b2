import type { Random } from "../../support/random.ts";
import { around, between, chance, chars, fill, firstNames, lastNames, numbered, weighted, words, type Make, type Maker, type Piece } from "./second-parts.ts";

/** Contexts that hold any personal value. */
const anywhere: readonly string[] = [
  "«v»", "«first» wrote: «v».", "Please use «v» from now on, the old one is gone.", "(«v»)", "[«v»]", "'«v»'", "`«v»`", "**«v»**", "~~«v»~~", "“«v»”",
  "«v», «v» and once more «v»",
  "«stamp» «level» «service»: rejected value «v» at line «small»", "[«date» «time»] «level» «service» - row «small»: «v»", "«level»:root:could not store «v»",
  "time=«stamp» level=warn msg=\"dropped\" value=\"«v»\"",
  "{\"id\":«small»,\"value\":\"«v»\",\"ok\":true}", "{\n  \"customer\": {\n    \"name\": \"«first» «last»\",\n    \"contact\": \"«v»\"\n  }\n}",
  "[\"«word»\",\"«v»\",null]", "{\"rows\":[[\"«first»\",\"«v»\"]],\"next\":null}",
  "{\\\"note\\\":\\\"«v»\\\"}", "name: «first»\nvalue: «v»\nactive: yes", "- «word»\n- «v»\n- «word»",
  "customer:\n  notes: |\n    Spoke to «first».\n    Left «v» for the callback.\n", "CONTACT=«v»", "export OWNER_REF=\"«v»\"",
  "owner = '«v»'  # «first»", "| «first» | «v» | «date» |", "| name | value |\n|---|---|\n| «last» | `«v»` |", "«last»;«first»;«v»;«date»",
  "\"«last», «first»\",\"«v»\",«small»", "«first»\t«v»\t«small»", "id,value\n1,«v»\n2,",
  "INSERT INTO contacts (name, ref) VALUES ('«last»', '«v»');", "SELECT * FROM t WHERE ref = '«v»' LIMIT 1;", "UPDATE people SET ref='«v»' WHERE id=«small»;",
  "const ref = \"«v»\";", "ref: str = '«v»'", "String ref = \"«v»\"; // «first»",
  "let r = \"«v»\".to_string();", "fmt.Println(\"«v»\")", "$ref = '«v»';", "<td>«v»</td>", "<p>Ask for «first»: «v»</p>", "<contact ref=\"«v»\"/>", "<!-- «v» -->",
  "X-Contact: «v»\r\nX-Trace: «%h16»\r\n", "// reported by «first», «v»",
  "# «v»", "/* «v» */", "ValueError: invalid value: '«v»'\n  File \"app/«word».py\", line «small», in load",
  "java.lang.IllegalArgumentException: bad ref «v»\n\tat com.example.«word».Loader.load(Loader.java:«small»)",
  "panic: unexpected «v»\n\ngoroutine 1 [running]:", "<«first»> hey, it's «v» btw\n<«last»> ok thx", "«first»: my number/id is «v» 👍",
  "> «v»\n\nGot it, thanks!\n-- \n«first»", "Hi «first»,\n\nas discussed: «v»\n\nBest,\n«last»",
  "Bitte notieren Sie: «v». Danke!", "Meine Angaben lauten «v», gültig ab sofort.", "Voici mes coordonnées : «v». Merci.", "Mis datos: «v». ¡Gracias!",
  "Os meus dados são «v».", "I miei dati sono «v», grazie.", "Mijn gegevens: «v».",
  "Proszę zapisać: «v».", "Мои данные: «v». Спасибо!", "Запишите, пожалуйста, «v», это новое.", "我的资料:«v»。", "请记录 «v»,谢谢", "連絡先は「«v»」です。", "제 정보는 «v» 입니다.",
  "بياناتي: «v» شكرا", "הפרטים שלי: «v», תודה", "मेरा विवरण: «v» है",
  "Bilgilerim: «v», teşekkürler.", "Thông tin của tôi: «v».", "Τα στοιχεία μου: «v».", "value=«v»&x=1", "diff --git a/x b/x\n-ref: «word»\n+ref: «v»",
  "commit «%h40»\n\n    contact «v» for details", "BEGIN:NOTE\nX-REF:«v»\nEND:NOTE",
  "1) «first»\n2) «v»\n3) -", "{{ \"«v»\" | upper }}", "tool result: {'ref': '«v»', 'n': «small»}", "ref => «v»", "…«v»…", "«v»\n«v»",
  "row «small»: «v» | row «small»: empty", "Q: ok?\nA: yes, «v»!", "at «v»?",
];

/** Several values of one kind in rows, as in exports. */
function table(random: Random, value: () => string, trimmed: (value: string) => string): Piece {
  const values = Array.from({ length: between(random, 2, 6) }, value);
  const [head, row] = random.pick([
    ["id,name,value\n", "«%d4»,«first» «last»,«v»\n"], ["| # | value |\n|---|---|\n", "| «small» | «v» |\n"], ["", "- «first»: «v»\n"],
    ["", "«stamp» «level» seen «v»\n"], ["", "{\"n\":\"«first»\",\"v\":\"«v»\"}\n"],
    ["name;value\r\n", "«last»;\"«v»\"\r\n"], ["people:\n", "  - name: «first»\n    ref: \"«v»\"\n"], ["", "<li>«v»</li>"], ["to: ", "«v»; "],
  ] as const);
  return { text: head + values.map((v) => fill(random, row, { v })).join(""), secrets: values.map(trimmed) };
}

/** A detector's positives: in contexts of its own, in any, or in rows. */
const personal = (value: Make, own: readonly string[], trimmed: (value: string) => string = (text) => text): Maker => (random) => {
  if (chance(random, 12)) return table(random, () => value(random), trimmed);
  const text = value(random);
  return around(random, chance(random, 40) ? own : anywhere, text, trimmed(text));
};

const domains = ["example.com", "example.org", "mail.example.net", "nordwind-logistik.example", "acme-widgets-12.co.uk", "eu.west.corp.example", "tinyrocket77.io",
  "studio-seven-7.dev", "zahnarzt-am-markt-17.de", "ferme-du-lac-33.fr", "loja-do-ze-55.com.br",
  "x1.example", "3dprints.example", "old-mill-9.museum", "blue-fjord-4.travel", "xn--bcher-kva.example", "bücher.example", "例子五七.公司", "почта-пример.рф",
  "münchen-tours.example", "EXAMPLE.COM", "Research.Uni-Beispiel.EDU", "quiet-58.technology", "a.b.c.d.example"];

const localPart: Make = (random) => {
  const [first, last] = [random.pick(firstNames), random.pick(lastNames)];
  const [f, l] = [first.toLowerCase(), last.toLowerCase()];
  return random.pick([`${f}.${l}`, `${f[0]!}${l}`, `${f}_${l}`, `${f}-${l}`, `${l}${between(random, 1, 99)}`, `${f}+${random.pick(words)}`,
    `${f}.${l}+orders-${between(random, 1, 999)}`, `${first}.${last}`, `o'${l}`,
    `${f}${between(random, 1950, 2009)}`, f, `${between(random, 1, 9)}${f}`, `_${l}`, `${f[0]!}.${l[0]!}`, "no-reply", "info", "support", "x", `${f}%${l}`,
    `jürgen.${l}`, "zoë", "иван.петров", "用户", "vertrieb.süd", `bounce+${f}=example.com`,
    `${chars(random, "abcdefghijklmnopqrstuvwxyz0123456789", 18)}`, `${f}.${l[0]!}.${random.pick(words)}.${l}`, first.toUpperCase()]);
};
const email: Make = (random) => `${localPart(random)}@${random.pick(domains)}`;
const emailContexts = [
  "mailto:«v»", "<a href=\"mailto:«v»?subject=Hi\">write</a>", "[mail](mailto:«v»)", "From: «first» «last» <«v»>", "To: \"«last», «first»\" <«v»>, «v»",
  "Cc: «v»;\r\nSubject: «word»", "Author: «first» «last» <«v»>", "Co-authored-by: «first» <«v»>",
  "Signed-off-by: «first» «last» <«v»>", "postfix/smtp[«small»]: «%H10»: to=<«v»>, relay=none, status=deferred", "\"email\": \"«v»\",", "email: «v»", "EMAIL=«v»",
  "user=«v»&plan=pro", "git config user.email \"«v»\"", "curl -d 'email=«v»' https://api.example/users",
  "Reply-To:«v»", "login failed for «v» (attempt «small»)", "SELECT id FROM users WHERE email='«v»';", "EMAIL;TYPE=work:«v»", "ATTENDEE;CN=«first»:mailto:«v»",
  "«first» <«v»>, «last» <«v»>", "maintainer \"«first» «last» <«v»>\"",
  "\"author\": \"«first» «last» <«v»> (https://example.com)\"", "Contact «v».", "Ask «v», or call.", "e-mail:«v»;", "User «v»: permission denied",
  "Schreiben Sie an «v»!", "Écrivez à «v» svp", "Пишите на «v».", "联系邮箱:«v»", "@param owner «v»",
];

/** Printed with a plus sign, an exit code, brackets, a trunk zero, or three, three and four digits. */
const phoneShapes = [
  "+1 N##-N##-####", "+1 (N##) N##-####", "+1-N##-N##-####", "+1.N##.N##.####", "+1N##N######", "+44 20 7### ####", "+44 (0)20 7### ####", "+44 7### ######",
  "+447#########", "+49 30 N######", "+49 (0) 89 N###-###", "+49 17# N#######", "+4930N######",
  "+49-30-N######", "+49/30/N######", "+33 1 N# ## ## ##", "+33 6 ## ## ## ##", "+336########", "+33.1.N#.##.##.##", "+34 6## ## ## ##", "+34 91# ### ###",
  "+39 02 #### ####", "+39 34# #######", "+31 6 ########", "+31 20 N## ####", "+32 2 N## ## ##",
  "+41 44 ### ## ##", "+41 79 ### ## ##", "+43 1 #######", "+43 664 #######", "+45 NN ## ## ##", "+46 8 ### ### ##", "+46 70-### ## ##", "+47 9## ## ###",
  "+358 40 #######", "+353 1 ### ####", "+351 91# ### ###", "+48 ### ### ###", "+420 6## ### ###",
  "+36 1 ### ####", "+30 21# #######", "+90 5## ### ## ##", "+7 (495) ###-##-##", "+7 9## ###-##-##", "+79#########", "+380 67 ### ####", "+972 5#-###-####",
  "+971 5# ### ####", "+966 5# ### ####", "+20 10 #### ####", "+27 82 ### ####", "+234 803 ### ####",
  "+254 7## ######", "+91 9#### #####", "+91-9#########", "+86 138 #### ####", "+86-10-6#######", "+852 9### ####", "+886 2 2### ####", "+81 3-####-####",
  "+81 90-####-####", "+82 10-####-####", "+65 9### ####", "+60 12-### ####", "+62 812-####-####",
  "+63 917 ### ####", "+66 8# ### ####", "+84 9# ### ## ##", "+61 4## ### ###", "+61 2 #### ####", "+64 21 ### ####", "+55 11 9####-####", "+55 (21) 9####-####",
  "+54 9 11 ####-####", "+52 55 #### ####", "+56 9 #### ####", "+57 3## ### ####", "+354 5## ####",
  "0049 30 N######", "0044 20 7### ####", "00336########", "0031 6 ########", "0041-44-###-##-##", "004917#N#######", "00 48 ### ### ###", "00 1 N## N## ####",
  "N##-N##-####", "N##.N##.####", "N## N## ####", "(N##) N##-####", "(N##)N##-####", "(N##) N## ####", "1-N##-N##-####", "(0NN) N######", "(0NNN) N#####",
  "(02) #### ####", "(11) 9####-####", "(495) ###-##-##", "(020) 7### ####", "(01865) ######",
  "020 7### ####", "0161 ### ####", "07### ######", "01865 ######", "030 N######", "030/N######", "0NN-N######", "0171 N######", "0171/N######", "089 / N## ## ##",
  "01 N# ## ## ##", "06 ## ## ## ##", "06.##.##.##.##", "06-##-##-##-##", "06-########",
  "020-N## ####", "044 ### ## ##", "079 ### ## ##", "0664 ### ####", "04## ### ###", "021 ### ####", "03-####-####", "090-####-####", "0120-###-###", "010-####-####",
  "02-###-####", "09### #####", "0812-####-####", "0532 ### ## ##", "082 ### ####",
  "138 #### ####", "186-####-####", "159 #### ####",
];

/** The forms of digits, dashes and spaces that are promised to be read like the plain ones. */
function otherForms(random: Random, text: string): string {
  const zero = random.pick([0xff10, 0x660]);
  const dash = random.pick(["\u2010", "\u2011", "\u2012", "\u2013"]);
  const space = random.pick(["\u00a0", "\u202f", "\u2009", "\u2007"]);
  const kind = random.below(3);
  if (kind === 0) return text.replace(/\d/gu, (digit) => String.fromCodePoint(zero + Number(digit)));
  return kind === 1 ? text.replaceAll("-", dash).replaceAll(" ", space) : text.replaceAll(" ", space);
}
const sometimesOther = (make: Make, percent: number): Make => (random) => (chance(random, percent) ? otherForms(random, make(random)) : make(random));

const phone: Make = (random) => numbered(random, random.pick(phoneShapes));
const phoneContexts = [
  "Call me at «v»", "Tel.: «v»", "Tel: «v», Fax: «v»", "☎ «v»", "📞«v»", "phone=\"«v»\"", "\"phone\": \"«v»\",", "phone: «v»", "TEL;TYPE=CELL:«v»",
  "<a href=\"tel:«v»\">call</a>", "SMS to «v» failed: timeout", "WhatsApp «v»", "«v» (mobile)", "«v» ext. «small»",
  "«v» x«small»", "Mobile «v» / Office «v»", "from «v» to «v», «small» s", "Telefon «v»", "Handy: «v»", "Tél. «v»", "Teléfono: «v»", "Телефон: «v»", "电话:«v»", "手机 «v»",
  "電話番号 «v»", "전화: «v»", "هاتف: «v»", "טלפון: «v»", "Cell: «v»; home: none",
  "(home «v»)", "Kontakt: «first» «last», «v», «word»@work", "dial «v»#", "callerid=«v»;", "Phone number «v» is already taken.", "twilio: To=«v» Body='code «small»'",
  "M: «v»", "«v»\n«first» «last»\nHead of Sales", "+-------+\n| «v» |\n+-------+",
];

/** Prefix, length, groups; the prefix is of a known issuer of that length. */
const brands: readonly (readonly [Make, number, readonly number[]])[] = [
  [() => "4", 16, [4, 4, 4, 4]], [() => "4", 13, [4, 3, 3, 3]], [() => "4", 19, [4, 4, 4, 4, 3]], [(random) => String(between(random, 51, 55)), 16, [4, 4, 4, 4]],
  [(random) => String(between(random, 2221, 2720)), 16, [4, 4, 4, 4]],
  [(random) => random.pick(["34", "37"]), 15, [4, 6, 5]], [() => "6011", 16, [4, 4, 4, 4]], [(random) => random.pick(["65", "644", "649"]), 16, [4, 4, 4, 4]],
  [(random) => String(between(random, 3528, 3589)), 16, [4, 4, 4, 4]],
  [(random) => random.pick(["36", "38", "300", "305"]), 14, [4, 6, 4]], [(random) => `62${random.pick(["1", "2", "5", "8"])}`, 16, [4, 4, 4, 4]],
  [() => "622", 19, [4, 4, 4, 4, 3]], [(random) => random.pick(["5018", "5020", "6304", "6759", "6761"]), 16, [4, 4, 4, 4]],
];

/** The digit that makes a number pass Luhn's check. */
export function luhnDigit(body: string): number {
  let sum = 0;
  for (let place = 0; place < body.length; place += 1) {
    const digit = Number(body[body.length - 1 - place]);
    sum += place % 2 === 0 ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return (10 - (sum % 10)) % 10;
}

export function grouped(text: string, groups: readonly number[], separator: string): string {
  let at = 0;
  return groups.map((size) => text.slice(at, (at += size))).join(separator);
}

const card: Make = (random) => {
  const [prefix, length, groups] = weighted(random, brands.map((brand, index) => [[9, 1, 1, 6, 3, 4, 2, 1, 2, 2, 2, 1, 1][index] ?? 1, brand] as const));
  const start = prefix(random);
  const body = start + chars(random, "0123456789", length - 1 - start.length);
  const number = body + String(luhnDigit(body));
  // A Visa number of 13 digits has no usual print.
  return length === 13 || chance(random, 45) ? number : grouped(number, groups, random.pick([" ", "-"]));
};
const cardContexts = [
  "card: «v», exp 12/«%d2», cvc «%d3»", "Visa «v»", "PAN=«v»", "\"card_number\": \"«v»\"", "{\"number\":\"«v»\",\"exp_month\":«%n1»,\"cvc\":\"«%d3»\"}",
  "charged «v» 49.90 EUR", "ccnum=«v»&zip=«%d5»", "Kartennummer: «v»", "Numéro de carte : «v»",
  "Номер карты «v»", "卡号:«v»", "カード番号 «v»", "card «v» declined (insufficient funds)", "«stamp» payment: pan=«v» amount=1200", "My Amex is «v», please book it.",
  "«first» «last»\n«v»\n0«%n1»/«%d2»", "card[number]=«v»&card[cvc]=«%d3»",
  "<CardNumber>«v»</CardNumber>", "VALUES (7, '«v»', '0«%n1»/«%d2»')", "Tarjeta: «v».", "{\"pan\":\"«v»\"}", "fill(\"#card\", \"«v»\")", "tokenise(«v»)",
  "Kreditkarte «v» gesperrt", "n° «v» ; «first»", "cc: «v»", "PAN «v»/CVV «%d3»",
];

/** Country, and its account number in pieces: `n` digits, `a` large letters, `c` either. */
const ibanShapes = ["DE n18", "AT n16", "CH n5c12", "FR n10c11n2", "ES n20", "IT a1n10c12", "NL a4n10", "BE n12", "LU n3c13", "GB a4n14", "IE a4n14", "PT n21",
  "DK n14", "SE n20", "NO n11", "FI n14", "IS n22", "PL n24", "CZ n20", "SK n20", "HU n24", "SI n15",
  "HR n17", "RO a4c16", "BG a4n6c8", "GR n7c16", "CY n8c16", "MT a4n5c18", "EE n16", "LV a4c13", "LT n16", "LI n5c12", "MC n10c11n2", "SM a1n10c12", "TR n6c16",
  "SA n2c18", "AE n19", "IL n19", "RS n18", "GE a2n16", "KZ n3c13", "UA n6c19", "QA a4c21", "AD n8c12"];

export const ibanCheck = (country: string, account: string): string => {
  const text = [...`${account}${country}00`].map((sign) => String(parseInt(sign, 36))).join("");
  let rest = 0;
  for (const digit of text) rest = (rest * 10 + Number(digit)) % 97;
  return String(98 - rest).padStart(2, "0");
};

export const ibanParts = (random: Random): { country: string; account: string } => {
  const [country = "", shape = ""] = random.pick(ibanShapes).split(" ");
  const account = shape.replace(/([nac])(\d+)/gu, (_, kind: string, count: string) => {
    const alphabet = kind === "n" ? "0123456789" : kind === "a" ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return chars(random, alphabet, Number(count));
  });
  return { country, account };
};
export const inFours = (text: string): string => text.replace(/(.{4})(?=.)/gu, "$1 ");

const iban: Make = (random) => {
  const { country, account } = ibanParts(random);
  const text = country + ibanCheck(country, account) + account;
  return chance(random, 45) ? inFours(text) : text;
};
const ibanContexts = [
  "IBAN: «v»", "IBAN «v», BIC BEISDEFFXXX", "\"iban\": \"«v»\"", "iban=«v»;bic=NONE", "Bitte überweisen Sie auf «v».", "Konto «v» bei der Musterbank",
  "Virement vers «v» effectué", "Transferir a «v» hoy", "Bonifico su «v»", "Счёт «v»", "收款账号:«v»",
  "<IBAN>«v»</IBAN>", "<DbtrAcct><Id><IBAN>«v»</IBAN></Id></DbtrAcct>", ":59:/«v»\n«first» «last»", "SEPA: «v» -> «v»", "mandate «%K8»: debtor «v»",
  "INSERT INTO accounts(iban) VALUES('«v»')", "refund to «v» pending", "/IBAN/«v»/NAME/«last»", "payee=«last»|«v»|EUR",
  "BCD\n002\n1\nSCT\n\n«last»\n«v»\nEUR12.30", "Bank details:\n  «v»\n  «first» «last»", "Rekeningnummer «v»", "Konto: «v» (PLN)", "validateIban(\"«v»\")",
  "«v»,EUR,«date»",
];

const ssn: Make = (random) => {
  const areas = [between(random, 1, 99), between(random, 100, 665), between(random, 667, 899)];
  const digit = (value: number, length: number): string => String(value).padStart(length, "0");
  return [digit(random.pick(areas), 3), digit(between(random, 1, 99), 2), digit(between(random, 1, 9999), 4)].join(random.pick(["-", "-", "-", " "]));
};
const ssnContexts = [
  "SSN: «v»", "SSN «v»", "ssn=«v»", "\"ssn\": \"«v»\"", "Social Security Number: «v»", "social security no. «v», DOB «date»", "My social is «v».",
  "applicant «last» («v») approved", "W-2 employee «v» «first» «last»", "<SSN>«v»</SSN>", "SS# «v»", "TIN/SSN «v»",
  "WHERE ssn = '«v»'", "ssn: '«v»' # «first»", "taxpayer «v», spouse «v»", "Número de seguro social: «v»", "Sozialversicherungsnummer (US): «v»", "社会安全号码:«v»",
  "verify_identity(\"«v»\", \"«last»\")", "«last»,«first»,«v»,«date»", "form 1099: recipient «v»",
  "patient «v» admitted «date»", "SSN(«v»)", "soc sec «v»; state TX", "«v»/«last»", "I-9 check: «v» => match",
];

const v4: Make = (random) => random.pick([() => `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
  () => `192.168.${random.below(256)}.${between(random, 1, 254)}`, () => `203.0.113.${random.below(256)}`,
  () => `${between(random, 1, 223)}.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
  () => `172.${between(random, 16, 31)}.${random.below(10)}.${random.below(10)}`, () => "127.0.0.1"])();
const group = (random: Random): string => chars(random, "123456789abcdef", 1) + chars(random, "0123456789abcdef", between(random, 0, 3));
const v6: Make = (random) => {
  const some = (count: number): string => Array.from({ length: count }, () => group(random)).join(":");
  const text = random.pick([() => `2001:db8:${some(6)}`, () => `2001:0db8:${some(6)}`, () => `2a02:${some(7)}`, () => `2001:db8::${some(between(random, 1, 5))}`,
    () => `2001:db8:${some(2)}::${some(between(random, 1, 3))}`, () => `fe80::${some(4)}`,
    () => `fd${chars(random, "0123456789abcdef", 2)}:${some(2)}::${some(1)}`, () => `ff02::${some(1)}`, () => "2606:4700:0:0:0:0:0:1111",
    () => `2a00:1450:4001:${some(1)}::200e`, () => `2001:db8:${some(4)}::${some(1)}`, () => "fe80::1"])();
  return chance(random, 15) ? text.toUpperCase() : text;
};
const address: Make = (random) => (chance(random, 60) ? v4(random) : v6(random));
const anyIpContexts = [
  "host «v» is down", "ping «v»", "Client IP: «v»", "ip=«v» user=«user»", "\"remote_addr\": \"«v»\"", "X-Forwarded-For: «v», «v»",
  "Accepted publickey for «user» from «v» port «port» ssh2", "Failed password for root from «v» port «port»", "banned «v» for «small» min",
  "inet «v» netmask", "inet6 «v» prefixlen 64", "«v»/24", "allow «v»;", "deny from «v»", "AddrFormatError: cannot bind «v»", "nameserver «v»", "DNS A «v» TTL 300",
  "connect «v» failed: ETIMEDOUT", "ssh «user»@«v» uptime", "«v»\t«word».local «word»", "route add «v» dev eth0",
  "SRC=«v» DST=«v» PROTO=TCP", "dig @«v» example.com", "IP-Adresse «v» gesperrt", "Adresse IP «v» bloquée", "IP地址:«v»", "адрес «v» недоступен", "bind_addr: «v»",
  "dial tcp «v»: i/o timeout", "server=«v»,1433", "--host «v» --verbose",
];
const v4Contexts = ["http://«v»:8080/health", "https://«v»/", "«v»:«port»", "«v» - - [12/May/2024:10:02:11 +0000] \"GET / HTTP/1.1\" 200 «small»",
  "jdbc:h2:tcp://«v»/db", "::ffff:«v»", "64:ff9b::«v»", "tcp://«v»:2375", "«v»-«v»", "redis://«v»:6379/0", "nc -zv «v» 22"];
const v6Contexts = ["http://[«v»]:8080/", "[«v»]:«port»", "«v»%eth0", "ping6 «v»%en0", "https://[«v»]/index.html", "inet6 «v»/64 scope link", "AAAA «v»",
  "listen [«v»]:443 ssl;", "ip -6 addr add «v»/128 dev lo"];
const ip: Maker = (random) => weighted<Maker>(random,
  [[3, personal(address, anyIpContexts)], [1, () => around(random, v4Contexts, v4(random))], [1, () => around(random, v6Contexts, v6(random))]])(random);

/** Brackets, a plus sign and a trunk `1-` at the start name nobody. */
const phoneCore = (text: string): string => text.replace(/^(?:[+(]+|[1\uff11\u0661]\p{Pd})/u, "");

export const personalPositives: Readonly<Record<"email" | "phone" | "card" | "iban" | "ssn" | "ip", Maker>> = {
  email: personal(email, emailContexts),
  phone: personal(sometimesOther(phone, 10), phoneContexts, phoneCore),
  card: personal(sometimesOther(card, 8), cardContexts),
  iban: personal(iban, ibanContexts),
  ssn: personal(sometimesOther(ssn, 8), ssnContexts),
  ip,
};
