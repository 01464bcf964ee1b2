import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../support/random.ts";
import { TOKENS } from "../corpus/tokens.ts";
import { assertLinear } from "../linear.ts";
import { found } from "./found.ts";

const SALT = "x|K#2 q9 &fT-~Rw!m+aB3^zL*0(Hs]Vd}Y4;e?Pj:Uc,G6<N1>i8@kE5$oX7nWb";

test("finds passwords in codes for Wi-Fi, of Oracle, of Terraform, of WordPress and of a network", () => {
  for (const [text, secret] of [
    ["WIFI:T:WPA;S:home;P:sunflower;;", "assignment: sunflower"],
    ["WIFI:S:P;T:WPA;P:a\\;b12;H:true;;", "assignment: a\\;b12"],
    ['network={\n ssid="x"\n psk="sunflower9"\n}', "assignment: sunflower9"],
    ["jdbc:oracle:thin:scott/tigerTT@//db:1521/x", "url-password: tigerTT"],
    ['jdbc:oracle:oci8:scott/"ti ger"@db', 'url-password: "ti ger"'],
    ['variable "db_password" {\n  type = string\n  default = "hunter2pass"\n}', "assignment: hunter2pass"],
    [`define('AUTH_SALT', '${SALT}');`, `assignment: ${SALT}`],
    [`define( 'LOGGED_IN_KEY',  '${SALT}' );`.replace("( '", "('"), `assignment: ${SALT}`],
    [`NONCE_SALT='${SALT}'`, `assignment: ${SALT}`],
  ] as const) assert.deepEqual(found(text), [secret], text);
});

test("leaves such forms alone where no password is in them, or something stands for it", () => {
  for (const text of [
    "WIFI:T:nopass;S:home;;", "WIFI:T:WPA;S:P:x;P:<password>;;", "WIFI: P: good signal;", "jdbc:oracle:thin:@//db:1521/x", "jdbc:oracle:thin:scott/${PW}@db", "jdbc:oracle:thin:@tns?x=a/b@c",
    'variable "db_name" {\n default = "hunter2pass"\n}', 'variable "db_password" {\n default = ""\n}', 'variable "db_password" {\n type = string\n}\nvariable "size" {\n default = "large42x"\n}', 'variable "db_password" {\n default = "${var.x}"\n}',
    "define('AUTH_KEY',         'put your unique phrase here');", "define('AUTH_SALT', $salt);", "psk=<psk>",
  ]) assert.deepEqual(found(text), [], text);
});

test("finds passwords that are words where quotes, a user above, or what is said makes it clear", () => {
  for (const text of ['password: "sunflower"', "password = 'sunflower'", "Username: ada\nPassword: sunflower\n", "- user: ada\r\n- password: sunflower", 'the password is "sunflower"', "Password is \u201csunflower\u201d."]) assert.deepEqual(found(text), ["assignment: sunflower"], text);
  assert.deepEqual(found("The password is hunter2pass."), ["assignment: hunter2pass"]);
  for (const text of [
    "My password is sunflower.", "password: sunflower", "Password: required", "username: string\npassword: required", "login: Login\npassword: adminPass", "password: 'Kennwort'", "password: 'Wachtwoord'", 'The password is "required"', "Password is required.",
    "password is too short (min 8)", "the password is base64-encoded", "the password is at least 8", "password is $HOME", '{"password":["required","confirmed"]}', "city: Z\u00fcrich\npassword: sunflower",
  ]) assert.deepEqual(found(text), [], text);
});

test("reads references of HTML, letters of full width, and hex that colons part", () => {
  const token = TOKENS["github"]!(seededRandom(1));
  const each = (write: (code: number) => string) => [...token].map((character) => write(character.charCodeAt(0))).join("");
  for (const text of [each((code) => `&#${code};`), each((code) => `&#x${code.toString(16)};`), each((code) => `&#00${code}`), each((code) => String.fromCharCode(code + 0xfee0)), Buffer.from(token).toString("hex").match(/../g)!.join(":")]) {
    assert.deepEqual(found(`see ${text} there`), [`provider-token: ${text}`], text.slice(0, 60));
  }
  for (const text of ["&#8217; and &#x1f600; and &#", "\uff30\uff22 \uff11\uff12", "16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48", "2001:0db8:85a3:0000:0000:8a2e:0370:7334:".repeat(3)]) assert.deepEqual(found(text), [], text);
});

test("takes time in proportion to the text", () => {
  assertLinear(found, "The password: none is set, and the user: nobody at all. ", ["WIFI:", "WIFI:T:WPA;S:", "jdbc:oracle:thin:a/", 'variable "password" {', 'variable "', "&#", "&#1", "\uff11", "1:", "aa:", "password is ", "user: \npassword: aaaaaa\n", "user: "]);
});
