import type { Random } from "../../support/random.ts";
import { between, chance, chars, negative, type Maker, type Piece } from "./second-parts.ts";
import { grouped, ibanCheck, ibanParts, inFours, luhnDigit } from "./second-pii.ts";

const digits = "0123456789";

const noEmail = negative([
  "thanks @«%l6-12»!", "cc @«word»-«word» and @«word»_«small»", "follow us: @«word»«small»", "@«%l5»: please review @«%l7»'s change", "npm i «word»@«semver»",
  "yarn add @«word»/«word»@^«semver»", "«word»@«semver»-beta.«small» deduped", "pnpm dlx «word»@latest",
  "/«word»@«semver»/node_modules/«word»", "node_modules/.pnpm/«word»@«semver»_«word»@«semver»/node_modules", "uses: actions/checkout@v«%n1»",
  "uses: docker/build-push-action@v«%n1».«%d1».0", "uses: «word»/«word»@«%h40»", "go get example.com/«word»/«word»@v«semver»",
  "go: downloading example.com/x/«word» v0.0.0-2024«%d4»-«%h12»", "FROM alpine:3.«small»@sha256:«%h64»", "image: «host»/«word»@sha256:«%h64»", "icon@2x.png",
  "<img src=\"logo@3x.webp\" srcset=\"logo@2x.png 2x\">", "assets/«word»@2x.png «int» bytes", "sprite_«word»@1.5x.jpg",
  "«user»@«word»:~$ ls -la", "root@«word»-«small»:/etc# systemctl status", "[«user»@«word» ~]$ whoami", "ssh «user»@«word»", "scp dump.sql «user»@«word»:/tmp/",
  "rsync -a ./ «user»@localhost:backup/", "git clone ssh://«user»@«word»/repo", "sip:«%d4»@pbx", "postgres@localhost is not allowed",
  "@Component({ selector: 'app-«word»' })\nexport class A {}", "@Override\npublic String toString() { return \"«word»\"; }", "@app.route(\"/«word»\")\ndef «word»():",
  "@pytest.mark.parametrize(\"x\", [«small»])", "@Injectable() class «word» {}", "  @Input() name: string;", "@dataclass(frozen=True)",
  "@media (min-width: «int»px) { .a { color: #«%h6» } }", "@import url(\"«word».css\");", "@keyframes «word» { from { top: 0 } }", "@charset \"utf-8\";",
  "@font-face { font-family: «word» }", "/** @param {string} «word» @returns {void} */", "@see «word».«word»", "@since «semver»", "@throws IOException",
  "HEAD@{«small»}: commit: «word»", "git diff main@{upstream}", "stash@{0}: WIP on «word»", "f = @(x) x.^2 + «small»;", "@ivar = params[:«word»]", "@@counter += 1",
  "SELECT @@version, @«word» := «small»", "DECLARE @«word» INT = «small»;", "exec sp_executesql @stmt, N'@p int', @p = «small»",
  "5 apples @ 1.20 each", "meet @ 10:30 @ «word» bar", "lunch@noon", "«small»@«small»", "AT&T @ work", "name at example dot com", "alice (at) «word» (dot) net",
  "user [at] host [dot] tld", "@", "@@ -«small»,7 +«small»,9 @@ function «word»()", "foo@", "@bar.", "a@b",
  "an address has the form local@domain", "xpath //a[@href='«word»']", "//book[@id=\"«small»\"]/@lang", "$@", "\"$@\" 2>&1", "%@ is a %d", "NSLog(@\"«word» %@\", x);",
  "@[@1, @2]", "@{ @\"k\": @«small» }", "C:\\> echo @off", "@echo off\r\nset X=«small»", "PowerShell @'\ntext\n'@", "@($list)[0]",
  "@(Model.«word»)", "@if (x) { «word» }", "{{ @index }}", "matrix A@B has shape («small», «small»)", "x = a @ b.T", "y = W@x + b",
  "score: 0.71 mAP@0.5, recall@10 = 0.8«%d1»", "P@5, nDCG@10", "core@«semver»: resolved", "«word» <«word»> at «word»", "mention <@U0«%K8»> in #«word»",
  "<@!«%z1»«%d6»> joined", "@«word»:«word» said hi", "{\"to\":\"@«word»\",\"text\":\"hi\"}", "to: '@«word»'", "@users/«word»", "@scope/«word»: ^«semver»",
  "\"@types/node\": \"^«semver»\"", "\"@«word»/«word»\": \"workspace:*\"", "import x from \"@«word»/«word»\";", "@/components/«word»", "@angular/core@«semver»",
  "Kontakt über @«word» auf der Plattform", "Напишите @«word» в чат", "请 @«word» 看一下", "@«word»さん、確認お願いします", "@everyone deploy at «time»", "@here build «int» failed",
  "spring@«semver».RELEASE", "lib@«%h7»", "brew install openssl@3", "brew link python@3.«small»", "php@8.1 is keg-only",
  "kernel: CPU@2.60GHz stepping «small»", "Intel(R) Core(TM) i7-8750H CPU @ 2.20GHz", "video_«small»@1080p.", "track «small»@48kHz", "queue@«word»",
  "celery@«word»-«small»: OK", "erl -sname «word»@«word»", "'«word»@«word»' node down", "rabbit@«word»-«small»", "v8::Isolate@0x«%h12»", "java.lang.Object@«%h8»",
  "com.example.«word».Item@«%h7»", "[I@«%h8»", "0x«%h8»@0x«%h4»", "{\"@type\":\"«word»\",\"@id\":\"#«small»\"}", "<xs:attribute name=\"@«word»\"/>",
  "cron @daily /usr/bin/«word»", "@reboot sleep «small»", "printf '%s@%s' \"$u\" \"$h\"", "${USER}@${HOST}", "<user>@<domain>", "$1@$2", "user@$DOMAIN", "you@",
]);

const noPhone = negative([
  "«date»", "«stamp»", "2024-0«%n1»-1«%n1» «time»", "1«%n1».0«%n1».2024", "0«%n1»/1«%n1»/2024", "1«%n1»/0«%n1»/1987 - 1«%n1»/0«%n1»/1999",
  "released «date», updated «date»", "«date» to «date»", "at «time»", "«time» - «time»", "start «time»,«%d3» end «time»,«%d3»", "v«semver»", "«semver» -> «semver»",
  "^«semver» || ~«semver»", ">=«semver» <«semver»", "version «semver».dev«small»+g«%h7»", "total 1 2«%d2» «%d3».00 EUR", "1,2«%d2»,«%d3» downloads",
  "$1,«%d3»,«%d3».«%d2»", "€ 12.«%d3»,«%d2»", "1'2«%d2»'«%d3» CHF", "EUR 4«%d5».«%d2»", "-«small».«%d2» %", "+«small».«%d1» % since «date»", "+12 / -«small»",
  "+«int» −«int» lines", "1 «%d3» «%d3»", "Rs. 1,«%d2»,«%d2»,«%d3»", "order «%z1»«%d7»", "order #«%z1»«%d9»", "id=«%z1»«%d8»", "invoice 2024-«%d5»",
  "case no. «%z1»«%d5»/24", "ticket «%u3»-«%d5»", "Amazon order 30«%d1»-«%d7»-«%d7»", "pid «int» tid «%z1»«%d6»", "ts=1«%d9»", "\"ts\": 17«%d8»",
  "exp 17«%d8», iat 17«%d8»",
  "epoch ms 17«%d11»", "uid=«%z1»«%d8»", "«%z1»«%d9» bytes", "offset «%z1»«%d6» of «%z1»«%d7»", "size «int» x «int»", "«small» «small» «small»", "12 34 56 78",
  "«%n1»«%d1» «%d2» «%d2» «%d2»", "612 345 678", "6«%d2» «%d3» «%d3»", "7«%d1» «%d3» «%d3»", "9«%d2»-«%d3»-«%d3»",
  "lat 48.«%d6», lon 2.«%d6»", "48.8«%d5»° N, 2.3«%d5»° E", "(-33.8«%d4», 151.2«%d4»)", "+48.8«%d3», +2.3«%d3»", "geo:52.5«%d3»,13.4«%d3»",
  "ISBN 978-3-16-1484«%d2»-«%d1»", "ISBN 3-«%n1»«%d3»-«%d4»-X", "ISSN «%n1»«%d3»-«%d3»X", "doi:10.1«%d3»/j.«word».«small»", "arXiv:24«%n1»«%d1».«%d5»",
  "EAN 5«%d11»", "UPC «%n1» «%z1»«%d4» «%z1»«%d4» «%d1»", "tracking 1Z999AA1«%d10»", "RR«%d9»CH", "JD01A«%d6»", "zip «%z1»«%d4»-«%d4»", "ZIP «%z1»«%d4»",
  "PLZ «%z1»«%d4» Musterstadt", "chapter 3.2.«small», pages «small»-«int»", "pp. 1«%d2»–1«%d2»", "vol. 12, no. 3, pp. 2«%d2»-2«%d2»",
  "[1«%d2», 2«%d2», 3«%d2»]", "0.«%d6», 0.«%d6», 0.«%d6»", "1.«%d4»e-0«%n1»", "x=«int».«%d2» y=«int».«%d2»", "#«%h6»", "rgb(«small», «small», «small»)",
  "rgba(12, 34, 56, 0.7)", "0x«%h8»", "«uuid»", "«%h40»", "CVE-2024-«%d5»", "RFC 7«%d3» section 4.1.«%n1»", "ISO 8601-1:2019", "DIN EN 1«%d3»-2:2006",
  "BS 7«%d3»-1:1993",
  "score 3:2, 6-4 6-3 7-5", "seats 12A-14C", "flight LH«%d4» 1«%n1»:«%d2»", "rows 1«%d2»-2«%d2»", "range 1000-2000", "10-20-30 rule",
  "2 + 2 = 4; 1«%d2» + 1«%d2» = «int»", "a[«small»]+b[«small»]", "1/«small» 3/«small»", "1920x1080+0+0", "-geometry 800x600+10+«%d2»", "chmod 0644 «file»",
  "umask 0022",
  "0755 «user» «user» «int»", "line «small»:«small»", "«file»:«small»:«small»: error TS2«%d3»", "at «word» (main.js:«small»:«%d5»)", "HTTP/1.1 404 1«%d2»",
  "GET /v1/items/«%z1»«%d7» 200 «small»ms", "Content-Length: «int»", "took «int»ms (p50 «small» p95 «int»)", "port «port»", "MTU 1500 qdisc noqueue",
  "1 000 items", "10 000 km", "299 792 458 m/s", "pi 3.14159265«%d2»", "6.022 140 76e23", "1,«%d3»,«%d3» rows in set (0.«%d2» sec)", "model RTX-3070-8G",
  "part 555-«%d4»-A«%n1»", "SN: «%K4»-«%K4»-«%K4»", "key «%u5»-«%u5»-«%u5»", "IMEI 35«%d13»", "account 1«%d8»", "customer 5«%d7»", "member id 2«%d8»",
  "Stand: 1«%n1».0«%n1».2023, 1«%n1»:3«%d1» Uhr", "le 1«%n1»/0«%n1»/2022 à 14h«%d2»", "с 10:00 до 18:«%d2»", "共 1«%d3» 条,第 «small» 页", "令和6年5月1«%n1»日",
  "합계 1,«%d3»,«%d3»원", "«small»% of 1«%d3»", "#«int» closes #«int»", "issue «int», PR «int»", "build 2024«%d4».«small»",
  "rev. 2024.0«%n1».1«%n1»", "2024.1«%n1»", "backup-2024010«%n1»-1200«%d2».tar.gz", "IMG_202405«%d2»_12«%d4».jpg", "log.2024-05-1«%n1».gz", "TZ=UTC+2",
  "«date»T«time»+02:00", "GMT+0100", "Thu, 1«%n1» May 2024 «time» +0000", "UTC offset +05:30", "temperature +21.«%d1» °C", "grade A+ 9«%d1»/100",
  "C++17, C++20 and c++2b", "1+1", "+1 from me", "+100 XP",
]);

/** Digits of which no issuer would make a card: they fail Luhn's check. */
const unlucky = (random: Random, start: string, length: number): string => {
  const body = start + chars(random, digits, length - 1 - start.length);
  return body + String((luhnDigit(body) + between(random, 1, 9)) % 10);
};
/** Passes the check, with a prefix of no payment card. */
const noIssuer = (random: Random): string => {
  const body = random.pick(["0", "7", "9", "89", "84"]) + chars(random, digits, 13);
  return body + String(luhnDigit(body));
};
const fours = [4, 4, 4, 4];

const noCardTexts = negative([
  "«a»", "card «a» is mistyped", "order «a»", "{\"id\":«a»}", "{\"id\":\"«a»\"}", "ref=«a»", "«g»", "number «g» rejected: checksum", "«stamp» request «a» done",
  "| «a» | «word» |", "INSERT INTO t VALUES («a»);", "long id = «a»L;", "tweet/status/«a»", "Nr. «g» ist ungültig", "номер «g» неверен", "卡号 «g» 无效", "n° «g» refusé",
  "assert not luhn('«a»')", "IMEI «i»", "\"imei\":\"«i»\"", "ICCID «c»", "ts 17«%d11»", "\"time\": 17«%d11», \"seq\": «small»", "at 17«%d14» µs", "1«%d18» ns",
  "snowflake 1«%d17»", "shard «small» id 1«%d18»", "«b»", "loyalty «b»", "trace «%h32»", "«%h16»", "«uuid»", "0.«%d16»", "lon: -0.«%d15», w: 1.«%d15»",
  "[0.«%d17», 0.«%d16»]",
  "1.«%d14»e-«%d1»", "**** **** **** «%d4»", "4111 11** **** 11«%d2»", "4242-XXXX-XXXX-«%d4»", "xxxx xxxx xxxx «%d4»", "•••• «%d4»", "card ending in «%d4»",
  "Visa ending «%d4», exp 0«%n1»/2«%d1»", "4xxx xxxx xxxx xxxx", "#### #### #### ####", "nnnn-nnnn-nnnn-nnnn", "NNNN NNNN NNNN NNNN (16 digits)",
  "Visa numbers begin with 4 and have 16 digits", "prefixes 51-55 and 2221-2720", "bin 4«%d5»", "IIN 5«%d5»", "/^4[0-9]{12}(?:[0-9]{3})?$/",
  "\\d{4}[ -]?\\d{4}[ -]?\\d{4}[ -]?\\d{4}", "placeholder=\"1234 5678 9012 3456\"", "1234-5678-9012-3456", "0000 0000 0000 0000", "container MSCU«%d7»",
  "tracking «t»", "1Z«%K6»«%d10»", "VIN 1HGCM82633A«%d6»", "gtin 0«%d9»", "2024 2023 2022 2021", "1000 2000 3000 4000 5000 6000", "4000 8000 1200 1600 hz",
  "5000-6000-7000", "0x«%h16»", "key-«%h20»",
  "«%z1»«%d11»", "ean 9«%d11»", "license «%K4»-«%K4»-«%K4»-«%K4»", "gift code «%u4»-«%u4»-«%u4»", "2001:db8 prefix, 4096 bytes", "size 4096 8192 16384 32768",
  "4«%d3»,4«%d3»,5«%d3»", "rows 4«%d3»..5«%d3»", "4«%d3» 5«%d3»", "amount 4,«%d3»,«%d3»,«%d3»", "12345678901«%d1»", "part 4«%d3»-5«%d3»-6«%d2»",
], (random) => {
  const start = random.pick(["4", "51", "53", "55", "2300", "6011", "3530", "62", "34", "37"]);
  const number = unlucky(random, start, start === "34" || start === "37" ? 15 : 16);
  const prefix = random.pick(["35", "86", "01"]);
  const imei = prefix + chars(random, digits, 12);
  const foreign = noIssuer(random);
  const tracking = unlucky(random, random.pick(["7", "9"]), random.pick([12, 14]));
  return { a: number, g: number.length === 15 ? grouped(number, [4, 6, 5], " ") : grouped(number, fours, random.pick([" ", "-"])), i: imei + String(luhnDigit(imei)),
    c: unlucky(random, "8944", 19), b: foreign, t: tracking };
});

/** One digit of the account off, so that the check digits are wrong. */
function wrongIban(random: Random): string {
  const { country, account } = ibanParts(random);
  const wrong = String((Number(ibanCheck(country, account)) + between(random, 1, 90)) % 97).padStart(2, "0");
  return country + (wrong === ibanCheck(country, account) || Number(wrong) < 2 ? "99" : wrong) + account;
}
const withCheck = (country: string, account: string): string => country + ibanCheck(country, account) + account;
/** Check digits are right, yet no country has such a number. */
function noCountry(random: Random): string {
  return random.pick([
    () => withCheck("RF", chars(random, digits, between(random, 5, 21))), () => withCheck(random.pick(["ZZ", "XX", "US", "CA", "QQ", "JP"]), chars(random, digits, 18)),
    () => withCheck("DE", chars(random, digits, random.pick([14, 16, 17, 20]))),
    () => withCheck("NL", chars(random, "ABCDEFGHIJKL", 4) + chars(random, digits, 8)), () => withCheck("FR", chars(random, digits, 20)),
  ])();
}
const noIban = negative([
  "«w»", "IBAN: «w»", "«w» has wrong check digits", "iban=«w»", "{\"iban\":\"«w»\"}", "Konto «w» ungültig", "IBAN «w» erronée", "assertFalse(isIban(\"«w»\"))",
  "| «w» | invalid |", "«first»,«w»,«date»", "<Ref>«w»</Ref>", "счёт «w» не найден", "账号 «w» 错误", "«g»",
  "creditor reference «r»", "«r»", "ref «r», due «date»", "\"reference\": \"«r»\"", "DE«%d2» XXXX XXXX XXXX XXXX XX", "DEkk BBBB BBBB CCCC CCCC CC", "GB«%d2» ABCD …",
  "GBkk BBBB SSSS SSCC CCCC CC", "FR76 xxxx xxxx xxxx", "NL«%d2»BANK**********", "DE** **** **** **** **** «%d2»", "<IBAN>", "${iban}", "IBAN ends in «%d4»",
  "a German IBAN has 22 characters", "BIC COBADEFFXXX", "BIC: «%u4»DE«%u2»«%K3»", "SWIFT «%u4»GB2L", "VAT DE«%d9»", "USt-IdNr. DE«%d9»", "ATU«%d8»", "FR«%d2»«%d9»",
  "NL«%d9»B01", "ESB«%d8»", "PL«%d10»", "ISIN US«%d9»«%d1»", "ISIN DE000A«%K5»«%d1»", "ISIN GB00B«%K6»«%d1»", "CUSIP «%d6»10«%d1»", "LEI 5493«%K14»«%d2»",
  "container MSKU«%d7»", "VIN WVWZZZ1JZ«%K8»", "SKU DE12-«%K4»-«%K4»", "flight BA«%d4»", "plate B-AB «%d4»", "GB29«word»", "EE12 locker", "AD2024 edition",
  "passport C«%K8»", "MRZ P<D<<«%u7»<<«%u5»", "RG«%d9»DE", "model NO12-34", "room SE14 0«%d2»", "post code SE1«%d1» 7AB", "SW1A 1AA", "1Z«%K6»«%d10»", "SK12345",
  "ID DE-«%d6»",
  "lot FI«%d6»", "chip BE2200", "hash «%h32»", "«%H24»", "«uuid»", "regex [A-Z]{2}\\d{2}[A-Z0-9]{11,30}", "IT60 is a bus line", "the SI2 form",
  "PT100 sensor at 3.«%d1» V", "HR2024-Q«%z1»", "TR-069 and TR-181", "code LT«%d4»", "AE86 drift", "CH-«%z1»«%d3» Musterwil", "A-«%z1»«%d3» Beispielort",
  "D-«%z1»«%d4» Musterstadt",
  "BLZ «%z1»«%d7»", "sort code «%z1»«%d1»-«%d2»-«%d2»", "routing no. 1«%d8»", "CLABE pending", "account «%z1»«%d6»", "Kontonr. «%z1»«%d6»", "mandate MNDT-«%K8»",
  "GTIN 0«%d7»", "E2E-«%K12»", "SE«%K2»-«%d3»", "ES6, ES2015 and ES2022", "IS0«%d3»", "MT940 statement «int»", "MT103 sent «date»", "pain.001.001.03",
], (random) => {
  const wrong = wrongIban(random);
  return { w: wrong, g: inFours(wrong), r: noCountry(random) };
});

const noSsn = negative([
  "000-«%z1»«%d1»-«%z1»«%d3»", "666-«%z1»«%d1»-«%z1»«%d3»", "SSN 666 «%z1»«%d1» «%z1»«%d3»", "9«%d2»-«%z1»«%d1»-«%z1»«%d3»", "ITIN 9«%d2»-7«%d1»-«%z1»«%d3»",
  "tax number 9«%d2» 8«%d1» «%z1»«%d3»", "\"itin\":\"9«%d2»-7«%d1»-«%z1»«%d3»\"", "ssn 9«%d2»-«%z1»«%d1»-«%z1»«%d3» is not valid", "«%z1»«%d2»-00-«%z1»«%d3»",
  "«%z1»«%d2»-«%z1»«%d1»-0000",
  "«%z1»«%d8»", "ssn=«%z1»«%d8»", "nine digits: «%z1»«%d8»", "EIN «%z1»«%d1»-«%d7»", "«%z1»«%d1»-«%z1»«%d6»", "«date»", "«date»T«time»", "1«%n1»-0«%n1»-2024",
  "12-31-19«%z1»«%d1»", "0«%n1»/1«%d1»/19«%z1»«%d1»", "«date» - «date»", "Boston, MA 02«%z1»«%d2»-«%d4»", "ZIP «%z1»«%d4»-«%z1»«%d3»", "«%z1»«%d4»-«%z1»«%d3»", "A«%d3»-«%d2»-«%d4»",
  "part «%u2»«%z1»«%d2»-«%d2»-«%d4»",
  "P/N «%z1»«%d3»-«%d2»-«%d4»", "«%z1»«%d2»-«%d2»-«%d4»«%u1»", "«%z1»«%d2»-«%d2»-«%z1»«%d4»", "«%z1»«%d2»-«%d2»-«%d3»", "«%z1»«%d2»-«%d1»-«%d4»",
  "«%z1»«%d1»-«%d2»-«%d4»", "«%z1»«%d2»-«%d3»-«%d3»", "model «%z1»«%d2»-«%d2»-«%d2»", "CAS 7732-18-«%z1»", "CAS no. «%z1»«%d3»-«%d2»-«%d1»", "CAS 50-00-«%d1»",
  "CAS «%z1»«%d1»-«%d2»-«%d1»",
  "XXX-XX-«%d4»", "***-**-«%d4»", "SSN ending in «%d4»", "last four: «%d4»", "AAA-GG-SSSS", "###-##-####", "NNN-NN-NNNN", "/^\\d{3}-\\d{2}-\\d{4}$/",
  "a social security number has nine digits", "SSN: <redacted>", "ssn: ${ssn}", "ssn: null", "\"ssn\": \"\"", "SSN required", "form SS-«%z1»", "«uuid»", "«%h8»-«%h4»",
  "item «%z1»«%d2»/«%d2»/«%d4»", "«%z1»«%d2».«%d2».«%d4»", "«%z1»«%d2»_«%d2»_«%d4»", "«%z1»«%d2»,«%d2»,«%d4»", "«%z1»«%d2»:«%d2»:«%d4»", "«%z1»«%d2»-«%d2»/«%d4»",
  "«%z1»«%d2»+«%d2»+«%d4»", "order «%u3»-«%d2»-«%d4»", "case 2:2«%d1»-cv-0«%d4»", "docket «%z1»«%d1»-«%d4»", "build «%z1»«%d3».«%d2»", "rev «semver»-«%d2»",
  "ISBN 0-«%d3»-«%d5»-X", "NDC 5«%d4»-«%d3»-«%d2»", "NSN «%z1»«%d3»-«%d2»-«%d3»-«%d4»", "CUI «%z1»«%d7»", "lot «%z1»«%d2»-«%u2»-«%d4»", "size 100-50-«%d2»",
  "years 1990-95-2000", "score 120-80-60", "range «%z1»«%d2»-«%z1»«%d2»", "UN «%d4», PG II", "«%z1»«%d2» «%d2» «%d3»", "«%z1»«%d2» x «%d2» x «%d4» mm",
  "rows «%z1»«%d2», «%d2» and «%d4»", "ABN «%z1»«%d1» pending", "SIN pending «date»", "NINO QQ «%d2» «%d2» «%d2» C", "AHV 756.«%d4» …", "Steuer-ID wird nachgereicht",
  "PESEL «%z1»«%d10»", "CPF pendente, «date»", "version 123-«%h7»", "commit «%h40»", "line «int»-«int»", "#«%z1»«%d2»-«%d2»", "ticket «%u4»-«%d4»", "GUID «uuid»",
]);

const noIp = negative([
  "v«%n1».«%d1».«%d1».«%d1»", "release v1.2.3.«%z1»", "tag: v10.«%d1».0.«%z1»", "1.2.3.4.«%z1»", "OID 1.3.6.1.4.1.«%z1»«%d3»", "iso.3.6.1.2.1.1.5.0",
  ".1.3.6.1.2.1.2.2.1.«small»", "2.5.29.15.«%z1».«%z1»", "10.1.2.3.4.5", "192.168.001.001", "010.000.000.0«%d2»", "10.0.00.1", "256.«%n1».«%n1».«%n1»", "300.1.2.«%n1»",
  "10.20.30.«%n1»«%d2»5", "1.1.1.«%n1»9«%d2»",
  "Chrome/1«%d2».0.«%z1»«%d3».«%z1»«%d2»", "Windows 10.0.19045.«%z1»«%d3»", ".NET 4.0.30319.4«%d4»", "MSVC 14.«%d2».«%z1»«%d4».0",
  "AppleWebKit/537.36 (KHTML, like Gecko) Safari/537.36", "«semver»", "«semver»-rc.«small»", "~> «semver»", "1.«%d2».«%d2»", "10.0", "3.«%z1».«%z1»",
  "v«semver»+build.«small»", "section 4.1.«%z1»",
  "«time»", "«time».«%d3»", "01:23:45:12", "00:0«%d1»:1«%d1»:0«%d1»", "12:30:45 to 13:«%d2»:00", "T+01:02:03:04", "«date» «time»", "up 12 days, 3:4«%d1»",
  "elapsed 0:00:0«%d1».«%d2»", "10:00-11:«%d2»", "Mark 4:«small»", "ratio 16:9", "odds 3:1:2", "score 2:1", "«file»:«small»:«small»", "a:b:c", "1:2:3", "1:2:3:4:5:6",
  "«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»", "ether «%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2» txqueuelen 1000", "HWaddr «%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»",
  "mac=«%h2»-«%h2»-«%h2»-«%h2»-«%h2»-«%h2»", "«%h4».«%h4».«%h4»", "bssid «%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2» ch «small»",
  "EUI-64 «%h2»-«%h2»-«%h2»-ff-fe-«%h2»-«%h2»-«%h2»",
  "MD5:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»:«%h2»",
  "SHA1 Fingerprint=«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»:«%H2»",
  "WWN 50:0«%h1»:«%h2»:«%h2»:«%h2»:«%h2»",
  "std::vector<int> «word»;", "std::map<std::string, int>", "use std::io::{self, Read};", "crate::«word»::Error", "foo::bar::baz()", "Foo::Bar.new",
  "App\\Models::«word»", "A::B::C", "a::b", "dec::Add", "Abc::Def::«word»", "ActiveRecord::Base", "p::before { content: '' }", "li::after", "::selection", "::marker",
  "::-webkit-scrollbar",
  "::1", "listen on ::1", "[::1]:«port»", "http://[::1]:3000/", "bind ::", "*::*", "Class::method", "face::Model", "Bad::Request", "fade::In", "added::Item",
  "a ::= b | c", "x :: Int -> Int", "head :: [a] -> a", "int::class", "decode::<u8>()", "Vec::<u8>::new()", "SELECT '«small»'::int", "'abc'::text", "x::date",
  "now()::date", "NULL::bytea",
  "::set-output name=a::b", "::group::«word»", "::error file=a.js,line=«small»::bad", "::notice::done", ":: comment in a batch file", "std::chrono::hours(«small»)",
  "Cow::Borrowed(\"x\")", "boost::asio::ip::address", "C:\\«word»::$DATA", "urn:isbn:0451450523", "urn:uuid:«uuid»", "did:key:z6Mk", "arn:aws:s3:::«word»-«word»",
  "arn:aws:iam::aws:policy/«word»",
  "aa:bb", "key:value:pair", "a:1:{i:0;s:3:\"abc\";}", "tag:yaml.org,2002:int", "sha256:«%h64»", "«uuid»", "«%h32»", "0x«%h8»", "#«%h6»", "localhost:«port»",
  "«host»:«port»", "example.com:443", "http://«host»/«word»", "x.x.x.x", "a.b.c.d", "<ip>:<port>", "${HOST_IP}", "10.x.x.«small»", "192.168.x.x", "192.168.*.*",
  "192.168.1", "10.0/16",
  "«small».«small»", "€ 1.234.567", "1.234.567,«%d2»", "1«%d1».0«%n1».2024", "1«%n1».0«%n1».2024 1«%d1»:4«%d1»", "7.5.2024", "48.«%d4», 11.«%d4»", "1.5e10",
  "3.14.«small»", "IPv4 has four parts, IPv6 has eight groups", "fig. 2.3.«small»", "Abschnitt 3.2.«small».", "статья 12.«small»", "第 3.2.«small» 节",
  "«int».«int».«int».«int»5", "p50=1.2 p95=3.4",
  "a::b::c::d", "12::34::56", "1::2::3", "g::h", "x:y:z::w", "0:0", "00:00", "00:00:00", "1.2.3.4a", "1.2.3.4x5", "a1.2.3.4b", "node-1.2.3.tgz",
  "«word»-«semver».tar.gz", "lib«word».so.1.2.«small»", "python3.«small».1", "jdk-17.0.«small»+8", "jdk1.8.0_«small»", "release/«semver»", "openssl 1.1.1k",
  "log4j:2.«small».1", "group:artifact:«semver»",
]);

/** Half of the texts stand within others, as they do in logs and data. */
const within = (maker: Maker): Maker => (random) => {
  const { text }: Piece = maker(random);
  if (chance(random, 55)) return { text, secrets: [] };
  return negative(["note: «t»", "«stamp» «level» «service» «t»", "«first»: «t»", "- «t»\n- «word»", "> «t»", "«t»\n\n«first»", "| «word» | «t» |", "/* «t» */", "# «t»",
    "(«t»)", "«t», etc.", "<p>«t»</p>", "see `«t»`", "\"«t»\"", "key: «t»", "«level»: «t»"], () => ({ t: text }))(random);
};

export const personalNegatives: Readonly<Record<"email" | "phone" | "card" | "iban" | "ssn" | "ip", Maker>> = {
  email: within(noEmail), phone: within(noPhone), card: within(noCardTexts), iban: within(noIban), ssn: within(noSsn), ip: within(noIp),
};
