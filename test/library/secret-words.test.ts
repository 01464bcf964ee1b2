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

test("knows names that go on from a secret to what explains it", () => {
  const secrets = [
    ...["Password (8+ chars)", "Password(s)", "Password, at least 8 characters", "Password (min. 8 characters)", "PIN (4 digits)"],
    ...["CVV (3 digits on the back)", "Card number (16 digits)", "Social security number (last 4)", "API key (from dashboard)", "API key from your dashboard"],
    ...["Token (ghp_…)", "Secret key (starts with sk_)", "pw", "2FA code", "2fa", "PAT", "GitHub PAT", "github_pat", "jwt", "kubeconfig", "wallet_seed"],
    ...["security_answer", "password_min_8", "pin_4_digits", "12 word phrase", "Session cookie (from DevTools)", "Password - required", "Password – min. 8"],
    ...["Password: 8 characters or more", "API key [from settings]", "Access token with repo scope", "Password that you use at work"],
    ...["Bearer token: from the console", "PIN number of your card", "Card number of your Visa", "Passwort (mind. 8 Zeichen)", "Passwort für GitHub"],
    ...["Mot de passe (8 caractères)", "Mot de passe de votre compte", "Contraseña, mínimo 8 caracteres", "Contraseña de la cuenta", "密码（至少8位）"],
    ...["Пароль для GitHub", "One-time code (from your authenticator)", "Client secret — see the console", "userPw", "otpCode", "OTP (6 digits)"],
    ...["Private key (PEM)", "Recovery phrase (12 words)", "Seed words", "password8", "CVV2", "Verification code, sent by SMS", "Database password at host"],
    ...["PSK", "Auth cookie", "jwtToken", "SSN: 9 digits", "Passphrase … of the key", "PAT (repo scope)", "2FA (6 digits)", "Token used by CI"],
  ];
  for (const name of secrets) assert.equal(namesSecret(name), true, name);
  const others = [
    ...["Password policy", "Token count", "PIN code of the city", "Number of API keys", "Key", "Passwordless login?", "Pinned", "Card title", "Session name"],
    ...["Password policy (for admins)", "Password reset link (from mail)", "Token limit, per request", "Tokens per request", "Max tokens (per call)"],
    ...["Pin on the map", "Pin (location)", "Name of the token (shown in the list)", "Name (of the account)", "Number of tokens (max. 100)"],
    ...["Length of the password", "Credit card, cash or transfer", "Secret Santa (name)", "tokens_max", "Card design (blue, red)", "Session length (minutes)"],
    ...["Passport country", "Passenger (name)", "Seed", "Random seed (number)", "Phrase (in French)", "Two-word title", "Answer (yes or no)"],
    ...["Path (to the file)", "Pattern", "Cookie policy", "Cookies", "Config (YAML)", "Security level", "Tokenizer", "Keyboard layout (de, us)"],
    ...["Key (C major, D minor)", "Primary key (id)", "Spa location, city", "Password hint", "Type of credential", "API key name (shown in the list)"],
    ...["Wallet (name)", "Pinterest board", "Postal PIN code", "Compass", "Format of the secret", "URL of the token endpoint"],
    ...["API version (2fa not supported)", "Patient name", "Secretary (name)", "Token type: bearer or basic"],
  ];
  for (const name of others) assert.equal(namesSecret(name), false, name);
});

test("sees a text that is the name of a secret with what explains it, or asks for the words of a wallet", () => {
  const asking = ["Enter your pw", "Session cookie (from DevTools)", "Password (8+ chars)", "Password, at least 8 characters", "API key from your dashboard", "We need the 12 words of your wallet", "To restore the wallet type your seed"];
  for (const text of asking) assert.equal(asksForSecret(text), true, text);
  const harmless = ["Enter the seed of the generator", "Name your wallet in two words", "Tokens (12) were spent from your budget", "Type a random seed", "We never ask for the 12 words of your wallet"];
  for (const text of harmless) assert.equal(asksForSecret(text), false, text);
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
