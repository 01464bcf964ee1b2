import assert from "node:assert/strict";
import { test } from "node:test";
import { asksForSecret, describesSecret, namesSecret, wordsOf } from "../../src/library/secret-words.ts";
import { assertLinear } from "./linear.ts";

test("takes names of every style apart", () => {
  for (const name of ["apiKey", "API_KEY", "api-key", "API key:", "ａｐｉ Key"]) assert.deepEqual(wordsOf(name), ["api", "key"], name);
  assert.deepEqual(wordsOf("2fa_code"), ["2fa", "code"]);
  assert.deepEqual(wordsOf("driver's licence"), ["drivers", "licence"]);
  assert.deepEqual(wordsOf(""), []);
});

test("knows names of secrets", () => {
  const secrets = ["password", "user_password", "userPassword", "PASSWORD", "apiKey", "API_KEY", "github_token", "Enter your API key", "Password for GitHub", "confirm_password", "password_confirm", "New password (required)", "ssn", "Social Security Number", "credit_card_number", "cardNumber", "cvv", "pin", "PIN code", "accessTokens", "clientSecret", "ｐａｓｓｗｏｒｄ", "2fa_code", "one-time code", "otp", "Your secret:", "Value of the token", "раssword", "pa\u0301ssword", "РIN"];
  for (const name of secrets) assert.equal(namesSecret(name), true, name);
});

test("leaves names alone that only have such a word in them", () => {
  const others = ["token_count", "password_policy", "passwordless", "secret_santa", "pin_location", "shipping_address", "name", "email", "card_type", "spinner", "pinned", "tokenizer", "password_reset_url", "number", "key", "Keyboard", "primary_key", "zip code", "country code", "accountName", "Number of tokens", "Name of the token", "", "секрет", "рост", "номер"];
  for (const name of others) assert.equal(namesSecret(name), false, name);
});

test("sees a text that asks for a secret", () => {
  for (const text of ["Please enter your GitHub password", "We need your API key to continue", "What is your social security number?", "Provide the access token for the account.", "First choose.\nThen type your PIN", "Do not worry. Paste your private key here"]) {
    assert.equal(asksForSecret(text), true, text);
  }
  const harmless = ["Never share your password with anyone", "We will not ask you to enter your password", "Enter your name. Your password is safe.", "Provide a shipping address", "Please enter the password policy", "You don't need a token for this", "Choose how many tokens to spend", "Your session token was refreshed", ""];
  for (const text of harmless) assert.equal(asksForSecret(text), false, text);
});

test("knows secrets in other languages", () => {
  const names = ["Passwort", "Neues Passwort", "Benutzerkennwort", "Mot de passe", "mot_de_passe", "Contraseña", "contrasena", "senha", "Wachtwoord", "Пароль", "密码", "登录密码", "パスワード", "ログインパスワード", "비밀번호", "hasło", "Şifre", "lösenord", "كلمة المرور", "Kreditkartennummer", "Numéro de carte", "验证码"];
  for (const name of names) assert.equal(namesSecret(name), true, name);
  for (const name of ["Passwortlänge", "Passort", "Parole", "Desenha", "密码策略", "Engenha", "Nom de passager", "Ключ", "Número", "通路", "kata", "Nummer"]) assert.equal(namesSecret(name), false, name);
  const asking = ["Bitte geben Sie Ihr Passwort ein", "Passwort eingeben", "Entrez votre mot de passe", "Introduzca su contraseña", "Digite sua senha", "Voer uw wachtwoord in", "Введите пароль", "请输入密码。", "パスワードを入力してください", "비밀번호를 입력하세요", "Bitte Sicherheitscode eingeben", "Wachtwoord:"];
  for (const text of asking) assert.equal(asksForSecret(text), true, text);
  const harmless = ["Geben Sie nie Ihr Passwort weiter", "Ne donnez jamais votre mot de passe", "Entrez votre nom", "请不要输入密码", "请输入名称。密码是安全的。", "请输入密码策略", "パスワードを入力しないでください", "Das Passwort wurde geändert", "Введите имя"];
  for (const text of harmless) assert.equal(asksForSecret(text), false, text);
});

test("takes a short description for a title, and a long one for a text", () => {
  for (const text of ["The password of your account", "Your API key", "We look it up in our books and so on, then give the code that is your PIN"]) assert.equal(describesSecret(text), true, text);
  for (const text of ["Where to send the invoice; never your password", "Not a password", "The place where we will put the report once somebody has reset the password"]) assert.equal(describesSecret(text), false, text);
});

test("takes time in proportion to the text", () => {
  assertLinear((text) => [namesSecret(text), asksForSecret(text)], "Please enter your name, and go on. ", ["enter ", "password ", "a", "aA", "'", ".", "1", "passwort ", "密码", "输入"]);
});
