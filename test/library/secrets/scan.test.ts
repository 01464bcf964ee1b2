import assert from "node:assert/strict";
import { test } from "node:test";
import { createFindSecrets } from "../../../src/library/secrets/scan.ts";
import { seededRandom } from "../../support/random.ts";
import { base64, chars, jwt, pem, TOKENS } from "../corpus/tokens.ts";
import { found } from "./found.ts";

const TOKEN = TOKENS["github"]!(seededRandom(1));

test("finds a token of every provider it knows, alone, quoted, in a URL and at the end of a sentence", () => {
  const random = seededRandom(2);
  for (const [name, make] of Object.entries(TOKENS)) {
    for (let count = 0; count < 20; count++) {
      const token = make(random);
      for (const text of [token, `"${token}"`, `see ${token}.`, `https://example.com/?t=${token}&x=1`, `(${token})`, `x:${token},`]) {
        const caught = createFindSecrets()(text).some(({ start, end }) => text.slice(start, end).includes(token));
        assert.ok(caught, `${name}: ${text}`);
      }
    }
  }
});

test("names a token by its provider where its name says that it is one, too", () => {
  assert.deepEqual(found(`GITHUB_TOKEN=${TOKEN}`), [`provider-token: ${TOKEN}`]);
});

test("finds each kind by its form", () => {
  const random = seededRandom(3);
  const key = pem(random, true);
  const session = jwt(random);
  for (const [text, expected] of [
    [`key:\n${key}\nend`, [`private-key: ${key}`]],
    [`cookie ${session}; x`, [`jwt: ${session}`]],
    ["postgres://ann:s3cr3t!@db/x", ["url-password: s3cr3t!"]],
    ["redis://:s3cr3t@db", ["url-password: s3cr3t"]],
    ["https://ann:p%40ss@example.com/", ["url-password: p%40ss"]],
    ["postgres://ann:pa/ss@db/x", ["url-password: pa/ss"]],
    ["ann:s3cr3t@tcp(db:3306)/x", ["url-password: s3cr3t"]],
    ["Authorization: Basic YW5uOnMzY3JldA==", ["authorization: YW5uOnMzY3JldA=="]],
    ["authorization:BEARER\tabc123def456", ["authorization: abc123def456"]],
    ["new value Q7A8Q~lSXsiX7lRCe6zwpi221rb5mI92I2D47bpF", ["provider-token: Q7A8Q~lSXsiX7lRCe6zwpi221rb5mI92I2D47bpF"]],
    ["authorization: bearer abc123def456", ["authorization: abc123def456"]],
    ["Server=db;User Id=sa;Password=P@ss;word", ["assignment: P@ss"]],
    ['{"apiKey":"s3cret9x"}', ["assignment: s3cret9x"]],
    ["PGPASSWORD=hunter2 psql", ["assignment: hunter2"]],
    ["id 8fK2mQx7Lw3RzT9vYb4NcJ6hDs1GpAe5 here", ["high-entropy: 8fK2mQx7Lw3RzT9vYb4NcJ6hDs1GpAe5"]],
  ] as const) {
    assert.deepEqual(found(text), expected, text);
  }
});

test("takes a private key that was cut short up to where its text ends, and no talk about one", () => {
  const key = pem(seededRandom(4), false);
  assert.deepEqual(found(`${key}\n"next"`), [`private-key: ${key}\n`]);
  assert.deepEqual(found(JSON.stringify({ key }).slice(0, -2)).map((text) => text.slice(0, 12)), ["private-key:"]);
  assert.deepEqual(found('a file that starts with "-----BEGIN PRIVATE KEY-----"'), []);
  assert.deepEqual(found("a file that starts with -----BEGIN PRIVATE KEY----- holds the key of the server, and nobody reads it"), []);
  assert.deepEqual(found(`-----BEGIN PUBLIC KEY-----\n${"abcd".repeat(9)}\n-----END PUBLIC KEY-----`), []);
});

test("takes a private key whose lines have signs before them, are literals, or have lost their beginning", () => {
  const key = pem(seededRandom(6), true);
  const lines = key.split("\n");
  for (const sign of ["# ", "> ", " * ", "// ", "+", "| "]) assert.equal(found(lines.map((line) => sign + line).join("\n")).length, 1, sign);
  assert.equal(found(lines.map((line) => `"${line}\\n"`).join(" +\n  ")).length, 1);
  for (const line of ["\n", "\\n"]) {
    const rest = lines.slice(2).join(line);
    assert.deepEqual(found(`and so on${line}${rest}`), [`private-key: ${rest}`]);
  }
  assert.deepEqual(found("it ends with\n-----END PRIVATE KEY-----"), []);
});

test("masks what is escaped letter by letter as a whole, and reads what is encoded in other scripts", () => {
  const text = `api_key="f15e8a7bc2"`;
  const inHex = (prefix: string, digits: number) => [...text].map((letter) => prefix + letter.charCodeAt(0).toString(16).padStart(digits, "0")).join("");
  for (const run of [inHex("%", 2), inHex("\\x", 2), inHex("\\u", 4)]) assert.deepEqual(found(`see ${run} there`), [`assignment: ${run}`]);
  assert.deepEqual(found(base64("Привет, как дела? Schöne Grüße!", "padded")), []);
  const run = base64(`пароль: password="hunter2x"`, "padded");
  assert.deepEqual(found(`<${run}>`), [`assignment: ${run}`]);
});

test("takes a token with a wrong checksum for a random string at most, and none for a template", () => {
  const wrong = `${TOKEN.slice(0, -1)}${TOKEN.endsWith("A") ? "B" : "A"}`;
  assert.deepEqual(found(wrong), [`high-entropy: ${wrong}`]);
  assert.deepEqual(found(wrong, { kinds: ["provider-token"] }), []);
  for (const text of [`ghp_${"x".repeat(36)}`, "sk-loading-indicator-with-a-long-name", `AIza${"X".repeat(35)}`]) assert.deepEqual(found(text), [], text);
});

test("reads a token's header before it takes it for a JSON Web Token", () => {
  const [header = "", claims = "", signature = ""] = jwt(seededRandom(5)).split(".");
  const other = base64('{"name":"no algorithm"}', "url");
  assert.deepEqual(found(`${header}.${claims}.${signature}`, { kinds: ["jwt"] }).length, 1);
  assert.deepEqual(found(`${other}.${claims}.${signature}`, { kinds: ["jwt"] }), []);
  assert.deepEqual(found(`${base64('{"alg":"none"}', "url")}.${claims}.`, { kinds: ["jwt"] }).length, 1);
});

test("leaves ids, hashes, digests, media and names alone", () => {
  for (const text of [
    "550e8400-e29b-41d4-a716-446655440000",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "PN81fa6e282dab88735d0155b57c750965",
    "pk_live_94BOKejQfUknjVs8FBdhsAB7",
    "_ZN4core3fmt9Formatter9write_str17h818ec492b29998c7E",
    "h1:lmjNPN81OhbLyWA0kiUoH8GBTaMxzzUGFFYFm8oqgXO=",
    "pbeWithSHA1And128BitRC4",
    "sk-ecdsa-sha2-nistp256-cert-v01",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha512-vtPWGsBhEYdt2nEkRU1t8FMTBk9dHM1ncLU7wJvRz6sLHXzQZpEkCrdMNrU0aLIl2eNHRPMO4wX2QqGJ6v7Rpw==",
    "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
    "data:image/webp;base64,UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD8JaQAA3AAAAAA8fK2mQx7Lw3RzT9vYb4NcJ6hDs1GpAe5",
    "readBlockZip64EndOfCentralLocator",
    "/usr/lib/x86_64-linux-gnu/security/pam_unix.so",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "https://example.com/a/b:c@d",
    "postgres://user:${PASSWORD}@db/x",
    "password: string;",
    'token: "your-token-here"',
    "const token = await getToken();",
    "max_tokens: 4096",
    'nextPageToken="abc123def456gh78"',
    "if (password === options.password) return;",
    "The password: ask Ann for it.",
    "Basic authentication and Bearer tokens",
    "[REDACTED:assignment]",
    'password="[REDACTED:assignment]"',
  ]) {
    assert.deepEqual(found(text), [], text);
  }
});

test("finds what is encoded once or several times, and marks all that is encoded", () => {
  const secret = `user=ann&password=hunter2!&token=${TOKEN}`;
  for (const encode of [
    (text: string) => base64(text, "padded"),
    (text: string) => base64(text, "unpadded"),
    (text: string) => base64(text, "url"),
    (text: string) => Buffer.from(text).toString("hex"),
    (text: string) => Buffer.from(text).toString("hex").toUpperCase(),
    (text: string) => base64(base64(text, "padded"), "url"),
    (text: string) => Buffer.from(encodeURIComponent(text)).toString("hex"),
  ]) {
    const run = encode(secret);
    const [{ start = -1, end = -1 } = {}, ...rest] = createFindSecrets()(`blob ${run} end`);
    assert.deepEqual([start, end, rest], [5, 5 + run.length, []], run);
  }
});

test("finds what is escaped in JSON or in a URL where it stands", () => {
  assert.deepEqual(found('{\\"password\\":\\"hunter2\\"}'), ["assignment: hunter2"]);
  assert.deepEqual(found(JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ password: "hunter2" }) }) })), ["assignment: hunter2"]);
  assert.deepEqual(found("next=%2Flogin%3Fpassword%3Dhunter2%26x%3D1"), ["assignment: hunter2"]);
  assert.deepEqual(found(`a%3A${TOKEN}`, { kinds: ["provider-token"] }), [`provider-token: ${TOKEN}`]);
  assert.deepEqual(found("postgres:\\/\\/ann:s3cr3t@db\\/x"), ["url-password: s3cr3t"]);
});

test("looks for no kind that was not asked for", () => {
  assert.deepEqual(found(`password=hunter2 ${TOKEN}`, { kinds: ["assignment"] }), ["assignment: hunter2"]);
  assert.deepEqual(found(`password=hunter2 ${TOKEN}`, { kinds: [] }), []);
});

test("finds known secrets in whatever encoding, and short ones where they stand alone", () => {
  const options = { known: ["ab/cd+ef gh", "1234"], kinds: [] };
  const secret = "ab/cd+ef gh";
  for (const text of [
    secret,
    "ab\\/cd+ef gh",
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    Buffer.from(secret).toString("hex"),
    Buffer.from(secret).toString("hex").toUpperCase(),
    base64(secret, "padded"),
    base64(`x${secret}yz`, "url"),
    base64(`xy${secret}`, "padded"),
  ]) {
    assert.equal(createFindSecrets(options)(`<${text}>`).length, 1, text);
  }
  assert.deepEqual(found("pin 1234, not 12345 or a1234", options), ["known: 1234"]);
});

test("finds a known secret whose bytes are escaped, whose characters are references, with accents apart, full-width and in hex with colons", () => {
  const hexOf = (text: string) => Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0"));
  for (const value of ["p\u00e4ssw\u00f6rt/9xK", "ma\u00f1ana12", "hunter/2pass!wd", "p\u{1f511}ss-9xK"]) {
    const forms = [value, value.normalize("NFD")].flatMap((written) => [
      written,
      hexOf(written).map((byte) => `%${byte}`).join(""),
      encodeURIComponent(written),
      [...written].map((character) => `&#${character.codePointAt(0)};`).join(""),
      [...written].map((character) => `&#x${character.codePointAt(0)!.toString(16)};`).join(""),
      JSON.stringify(written).slice(1, -1).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
      written.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)),
      hexOf(written).join(":"),
      hexOf(written).join(":").toUpperCase(),
    ]);
    for (const form of forms) assert.deepEqual(found(`a ${form} b`, { known: [value], kinds: [] }), [`known: ${form}`], form);
  }
});

test("finds a known secret of four to seven characters at the borders of words alone, and longer ones anywhere", () => {
  for (const value of ["1234", "hunter2", "s3cr"]) {
    const options = { known: [value], kinds: [] };
    for (const text of [value, `a ${value}.`, `x_${value}-y`, `"${value}\\n"`, `a%20${value}%20b`, `\\n${value}`, `密${value}码`]) assert.deepEqual(found(text, options), [`known: ${value}`], text);
    for (const text of [`a${value}`, `${value}b`, `9${value}`, `${value}0`, `x${value}y`]) assert.deepEqual(found(text, options), [], text);
    const run = base64(`the secret is ${value}, and nobody knows`, "padded");
    assert.deepEqual(found(`see ${run}`, options), [`known: ${run}`]);
  }
  assert.deepEqual(found("a!b!c!d", { known: ["!b!c!"], kinds: [] }), ["known: !b!c!"]);
  assert.deepEqual(found("xhunter22y", { known: ["hunter22"], kinds: [] }), ["known: hunter22"]);
});

test("finds a known secret that is written with escapes of JSON, of all its characters or of some", () => {
  const escape = (value: string, of: RegExp) => value.replace(of, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  for (const value of ["hunter2", "pässwort-ß7", "p😀ss/wörd", "a\"b\\c<d>"]) {
    const options = { known: [value], kinds: [] };
    const inner = JSON.stringify(value).slice(1, -1);
    for (const text of [inner, escape(value, /[^]/g), escape(value, /[^a-z0-9]/g), escape(value, /[a-f<>"\\]|[^\0-\x7f]/g), escape(value, /[^]/g).toUpperCase().replaceAll("\\U", "\\u")]) {
      assert.equal(found(`{"a":"${text}"}`, options).length, 1, text);
      assert.equal(found(JSON.stringify({ b: `{"a":"${text}"}` }), options).length, 1, `twice ${text}`);
    }
  }
});

test("finds what Base64 and hex in lines say when joined, and marks all the lines", () => {
  const random = seededRandom(6);
  for (let offset = 0; offset < 30; offset++) {
    const text = `# ${"x".repeat(offset)}\nREGION=eu-central-1\nGITHUB_TOKEN=${TOKENS["github"]!(random)}\nA=1\n${"y".repeat(random.below(90))}`;
    for (const [form, coded] of Object.entries({ base64: base64(text, "padded"), url: base64(text, "url"), hex: Buffer.from(text).toString("hex") })) {
      for (const width of [48, 60, 64, 76, 77]) {
        for (const between of ["\n", "\r\n", "\n    "]) {
          const block = coded.match(new RegExp(`.{1,${width}}`, "g"))!.join(between);
          for (const [before, after] of [["", ""], ["content: |\n    ", "\ndone\n"], ['{"content": "', '"}'], ["<data>", "</data>"]] as const) {
            const name = `${form} ${width} ${offset} ${JSON.stringify(before)}`;
            assert.deepEqual(found(`${before}${block}${after}`).map((match) => match.replace(/[=\s]+$/, "")), [`provider-token: ${block.replace(/[=\s]+$/, "")}`], name);
          }
          const escaped = JSON.stringify({ content: `${block.replace(/[=\s]+$/, "")}\n` });
          assert.equal(createFindSecrets()(escaped).at(-1)?.end, escaped.length - 4, `${form} ${width} ${offset} in JSON`);
        }
      }
    }
  }
});

test("leaves lines alone that say nothing secret, or nothing together", () => {
  const random = seededRandom(7);
  const harmless = base64("the quick brown fox jumps over the lazy dog, and so it goes on for some lines more. ".repeat(4), "padded");
  const hashes = Array.from({ length: 8 }, () => chars(random, "0123456789abcdef", 40)).join("\n");
  for (const text of [harmless.match(/.{1,76}/g)!.join("\n"), hashes, `${hashes}\nshort`]) assert.deepEqual(found(text), [], text);
});

const WORST = [
  ..."a|A|0|=|:|.|/|-|_|+|%|\\|eyJ|eyJ.|ghp_|sk-|sk-a|AKIA|xox|://|://:|://a:|://a:b|password=|password:|password='|token=a|Bearer |Basic |basic a".split("|"),
  ..."-----BEGIN PRIVATE KEY-----|PRIVATE KEY|BEGIN |%41|%4|\\u0041|\\\\|\\/|aB3|aB3/|a.b.|a1-|SG.|AAAA|6161|=a|::|key=|\"key\":\"|secret: |password=Aa |1234567890:".split("|"),
  ..."</|</value>|<value>|</password>|--|--token |--token a1|(\"token\",|(\"token\",\"|password |login a password | '|by '|password '| \"| -p| -u a:|mysql -p1|@tcp(|a:b@tcp(".split("|"),
  ..."Q~|1Q~|6~|value=|name=token value=|\"value\":|password: a = |password: str = |authorization: a |-----END PRIVATE KEY-----|AAAA\n-----END PRIVATE KEY-----|e[wy]|ey|\\x41|\n# ".split("|"),
  ..."\u001b[32m|\u001b[0;1|\\u001b[|^[[|\u001b[32mpassword\u001b[0m=".split("|"),
  // What surrounds passwords.
  ..."ENV |ENV A_PASSWORD |SetEnv a_password |form-data; name=\"|form-data; name=\"password\"\r\n|</th>|password</th><td>|Password</th>|setPassword(\"|SecretStr('|password=SecretStr('|} = \"".split("|"),
  ..."asswort ist |Passwort ist |de passe est |\u5bc6\u7801\u662f|password for a|password for a is |**password:** |password: **a|- --password\n- |password1:|1:1:12:|&quot;:|&#1087;".split("|"),
  " user | password \n------+---------\n",
  'password || "',
  "password: |\n ",
  ..."deadbeefdeadbeefdeadbeef |abcdefghijklmnopqrstuvw |-----BEGIN A-----|AAAAB3NzaC1yc2E|::a|1:2:3:4:5:6:7 ".split("|"),
  `${"aB3/".repeat(16)}\n`,
  "YWJjZGVmZ2hpamtsbW5vcA ",
  ..."8fK2mQx7Lw3RzT9vYb4N.|/a/8fK2mQx7Lw3RzT9vYb4N.|a/b.8fK2mQx7Lw3RzT9vYb4N%2F|\"password\":[|\"password\":[\"a\",|\"password\":[\"Aa1!\",\"|\"password\":\"one cow two hay ".split("|"),
  // Random strings behind what may be a name.
  ..."8fK2mQx7Lw3RzT9vYb4N |8fK2mQx7Lw3RzT9vYb4N:|a 8fK2mQx7Lw3RzT9vYb4N=|id: 8fK2mQx7Lw3RzT9vYb4N, |<id>8fK2mQx7Lw3RzT9vYb4N".split("|"),
  // Lines that go on, and those that do not.
  ...[`${"YWJjZGVm".repeat(8)}\n`, `${"YWJjZGVm".repeat(4)}\nYWJj\n`, `${"4142".repeat(6)}\n`, `${"YWJjZGVm".repeat(4)}\n${" ".repeat(39)}`],
  // Names in values of other names.
  ..."token=a1&|a1password:|token=a1b2c3d4e5token='|password=\"password='|</token>a1b2c3|<token>a1b2c3d4</token|--token a1b2--token a1|Bearer a1Bearer ".split("|"),
];

/** With what a search might look for in vain up to its end. Flat, as a text off the wire is: one that is put together reads slower. */
function hostile(part: string, chars: number): string {
  return JSON.parse(JSON.stringify(`${part.repeat(Math.ceil(chars / part.length))} :/=@%\\`)) as string;
}

test("gets through ten times as much hostile text in no more than a few tens of times the work", () => {
  // Time by the processor's clock varies; the best of some runs hardly does, and a square would take a hundred times as long.
  const find = createFindSecrets({ known: ["s3cret-value"] });
  const timeOf = (text: string) => {
    const before = process.cpuUsage();
    find(text);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  for (const part of WORST) {
    const text = hostile(part, 10_000);
    const short = Math.min(...Array.from({ length: 3 }, () => timeOf(text)));
    const bound = 40 * short + 40_000;
    const tenfold = hostile(part, 100_000);
    let long = timeOf(tenfold);
    for (let more = 0; more < 2 && long > bound; more++) long = Math.min(long, timeOf(tenfold));
    assert.ok(long <= bound, `${JSON.stringify(part)}: ${short} µs, then ${long} µs`);
  }
});

test("gets through long runs of each hostile text", () => {
  const find = createFindSecrets({ known: ["s3cret-value"] });
  for (const part of WORST) assert.ok(find(hostile(part, 150_000)).length <= 150_000, part);
});

test("reads what a terminal shows in colours as it is shown, and masks none of them", () => {
  const token = "AKIAKJKSZGRMMPBB6TZP";
  for (const [on, off] of [["\u001b[32m", "\u001b[0m"], ["\\u001b[1;32m", "\\u001b[0m"], ["\\\\u001b[1m", "\\\\u001b[0m"], ["\\x1b[32m", "\\x1b[0m"], ["\\033[32m", "\\033[m"], ["^[[32m", "^[[0m"]]) {
    assert.deepEqual(found(`${on}${token}${off}`), [`provider-token: ${token}`], on);
    assert.deepEqual(found(`${on}${token}${off}${on}next`), [`provider-token: ${token}`], on);
    assert.deepEqual(found(`${on}password${off}=${on}hunter2x9${off}`), ["assignment: hunter2x9"], on);
    assert.deepEqual(found(`${on}"password"${off}: ${on}"hunter2x9"${off}`), ["assignment: hunter2x9"], on);
    assert.deepEqual(found(`${on}8fK2mQx7Lw3RzT9vYb4N${off}`), ["high-entropy: 8fK2mQx7Lw3RzT9vYb4N"], on);
    for (const harmless of [`${on}"fileId"${off}: ${on}"8fK2mQx7Lw3RzT9vYb4N"${off}`, `${on}sha512-${"v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ".repeat(2).slice(0, 86)}==${off}`, `${on}password${off}: ${on}required${off}`]) {
      assert.deepEqual(found(harmless), [], harmless);
    }
  }
});
