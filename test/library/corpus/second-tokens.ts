import type { Random } from "../../support/random.ts";
import { around, base62, base64, base64url, between, chance, chars, fill, mixed, negative, tokenChecksum, unpadded, weighted, type Make, type Maker, type Piece } from "./second-parts.ts";

const withChecksum = (prefix: string): Make => (random) => {
  const body = chars(random, base62, 30);
  return prefix + body + tokenChecksum(body);
};
const of = (shape: string): Make => (random) => fill(random, shape);

/** Signed data of Sentry and Grafana: readable JSON within the token. */
const sentry: Make = (random) => fill(random, `sntrys_${base64(fill(random, "{\"iat\":17«%d8».«%d5»,\"url\":\"https://sentry.io\",\"region_url\":\"https://us.sentry.io\",\"org\":\"«word»\"}"))}_«%B42»«%x1»`);
const grafanaCloud: Make = (random) => `glc_${unpadded(base64(fill(random, "{\"o\":\"«%d6»\",\"n\":\"«word»-«word»\",\"k\":\"«%x24»\",\"m\":{\"r\":\"eu\"}}")))}`;
const mapbox: Make = (random) => fill(random, `sk.${unpadded(base64(fill(random, "{\"u\":\"«word»\",\"a\":\"«%k25»\"}")))}.«%w22»`);
const pypi: Make = (random) => fill(random, `pypi-AgEIcHlwaS5vcmc«%w120-150»«%x2»`);
const discord: Make = (random) => fill(random, `${unpadded(base64(fill(random, "1«%d17»")))}.«%x6».«%x${random.pick([27, 38])}»`);

/** Well-known ones weigh more. */
const formats: readonly (readonly [number, Make])[] = [
  [8, withChecksum("ghp_")], [3, withChecksum("gho_")], [2, withChecksum("ghu_")], [3, withChecksum("ghs_")], [2, withChecksum("ghr_")],
  [4, of("github_pat_«%x22»_«%x59»")], [6, withChecksum("npm_")],
  [6, of("glpat-«%w19»«%x1»")], [1, of("gldt-«%w19»«%x1»")], [1, of("glrt-«%w19»«%x1»")], [1, of("glptt-«%h40»")], [1, of("glsoat-«%w19»«%x1»")], [6, of("AKIA«%b16»")],
  [3, of("ASIA«%b16»")], [6, of("AIza«%w34»«%x1»")], [2, of("GOCSPX-«%w27»«%x1»")],
  [2, of("ya29.a0«%w120-180»«%x1»")], [5, of("sk_live_«%x24»")], [3, of("sk_live_51«%x97»")], [2, of("rk_live_«%x24»")], [2, of("sk_test_«%x24»")],
  [1, of("rk_live_51«%x97»")], [2, of("whsec_«%x32»")], [4, of("xoxb-«%d12»-«%d12»-«%x24»")],
  [2, of("xoxp-«%d12»-«%d12»-«%d12»-«%h32»")], [2, of("xapp-1-A0«%K9»-«%d13»-«%h64»")], [1, of("xoxa-2-«%d12»-«%d12»-«%d12»-«%h32»")],
  [5, of("sk-«%x20»T3BlbkFJ«%x20»")], [3, of("sk-proj-«%w73»«%x1»T3BlbkFJ«%w73»«%x1»")], [1, of("sk-svcacct-«%w73»«%x1»T3BlbkFJ«%w73»«%x1»")],
  [5, of("sk-ant-api03-«%w92»«%x1»AA")], [1, of("sk-ant-admin01-«%w92»«%x1»AA")], [5, of("hf_«%L34»")], [4, of("SG.«%w21»«%x1».«%w42»«%x1»")], [4, of("SK«%h32»")],
  [3, of("key-«%h32»")], [4, pypi], [3, of("dop_v1_«%h64»")], [1, of("doo_v1_«%h64»")], [1, of("dor_v1_«%h64»")],
  [4, (random) => `${between(random, 100_000_000, 7_999_999_999)}:AA${chars(random, `${base62}_-`, 32)}${chars(random, base62, 1)}`], [4, discord],
  [2, of("shpat_«%h32»")], [1, of("shpss_«%h32»")], [1, of("shpca_«%h32»")], [1, of("shppa_«%h32»")], [2, of("sq0atp-«%w21»«%x1»")], [2, of("sq0csp-«%w42»«%x1»")],
  [1, of("EAAA«%w59»«%x1»")], [4, of("dckr_pat_«%w26»«%x1»")], [2, of("dapi«%h32»")], [1, of("dapi«%h32»-2")], [2, of("lin_api_«%x40»")], [2, of("ntn_«%d11»«%x35»")],
  [1, of("secret_«%x43»")], [2, of("figd_«%w39»«%x1»")], [2, of("hvs.«%w94»«%x1»")], [1, of("hvb.«%w140»«%x1»")],
  [2, of("«%x14».atlasv1.«%w66»«%x1»")], [2, of("NRAK-«%K27»")], [2, sentry], [1, of("sntryu_«%h64»")], [2, of("glsa_«%x32»_«%h8»")], [2, grafanaCloud],
  [1, of("dp.pt.«%x43»")], [1, of("PMAK-«%h24»-«%h34»")], [1, of("ATATT3xFfGF0«%w180»«%x1»=«%H8»")], [1, of("pat«%x14».«%h64»")],
  [1, of("pscale_tkn_«%w42»«%x1»")], [1, of("pscale_pw_«%w42»«%x1»")], [1, of("sbp_«%h40»")], [1, of("r8_«%x37»")], [1, of("gsk_«%x52»")], [1, of("xai-«%x80»")],
  [1, of("pplx-«%x48»")], [1, of("lsv2_pt_«%h32»_«%h10»")], [1, of("pul-«%h40»")], [1, of("rubygems_«%h48»")], [1, of("CLOJARS_«%h60»")],
  [1, of("AGE-SECRET-KEY-1«%g58»")], [1, of("xkeysib-«%h64»-«%x16»")], [1, of("dt0c01.«%b24».«%b64»")], [1, of("sqp_«%h40»")], [1, of("shippo_live_«%h40»")],
  [1, mapbox], [1, of("PMAK-«%h24»-«%h34»")], [1, of("LTAI5t«%x18»")], [1, of("CFPAT-«%w42»«%x1»")],
  [1, of("nfp_«%x36»")], [1, of("«%h32»-us1«%d1»")], [1, of("EZAK«%x54»")], [1, of("rdme_«%k70»")], [1, of("bkua_«%h40»")], [1, of("oy2«%k43»")],
];

export const providerToken: Make = (random) => weighted(random, formats)(random);

/** Contexts for any token or other run without quotes and spaces. */
export const tokenContexts: readonly string[] = [
  "«v»", "my key is «v», do not share", "Here you go: «v»", "<«first»> use «v» for now\n<«last»> thx", "«stamp» «level» «service» using «v»",
  "[«time»] «level»: 401 for «v»", "msg=\"rejected\" cred=«v» code=401", "{\"value\":\"«v»\",\"n\":«small»}", "{\n  \"data\": {\n    \"v\": \"«v»\"\n  }\n}",
  "[\"«v»\",\"«word»\"]",
  "x: «v»", "- «v»\n- «word»", "env:\n  - name: A1\n    value: \"«v»\"", "data: '«v»' # «date»", "A1=«v»\nB2=«small»", "export X=«v»",
  "X=\"«v»\" ./run.sh --port «port»", "set X=«v»\r\n", "$env:X = \"«v»\"", "echo «v» | tool login", "tool login --user «user» --with «v»",
  "curl -H 'X-Custom: «v»' https://«host»/v1/items",
  "curl https://«host»/v1 -u «v»:", "curl \"https://«host»/v1?k=«v»&page=«small»\"", "wget --header=\"X-Auth: «v»\" https://«host»",
  "GET /v1/me?a=«v» HTTP/1.1\r\nHost: «host»", "X-Custom: «v»\r\nAccept: */*", "Cookie: theme=dark; sid=«v»; lang=en", "| «word» | `«v»` |",
  "| name | value |\n|---|---|\n| «word» | «v» |", "«word»,«v»,«date»", "\"«word»\",\"«v»\"",
  "INSERT INTO creds VALUES ('«word»', '«v»');", "UPDATE t SET v='«v»' WHERE id=«small»", "const client = new Client(\"«v»\");", "let k = '«v»';",
  "client = Client('«v»')  # TODO", "client := New(\"«v»\")", "var c = new Client(@\"«v»\");", "$c = new Client('«v»');", "Client.new(\"«v»\")",
  "val c = Client(\"«v»\")",
  "<add key=\"x\" value=\"«v»\"/>", "<key>«v»</key>", "<!-- «v» -->", "// «v»", "# was: «v»", "/* «v» */", "-- «v»",
  "Traceback (most recent call last):\n  File \"app.py\", line «small»\nAuthError: bad credential '«v»'",
  "Error: invalid value «v»\n    at Client.send («file»:«small»:7)", "panic: refused: «v»",
  "> «v»\n\nPlease rotate this one.", "Hi «first»,\n\nthe key: «v»\n\nBest\n«last»", "Der Schlüssel lautet «v».", "La clé est «v», merci.", "La clave es «v».",
  "Ключ: «v»", "密钥:«v»", "密钥是「«v»」", "キーは «v» です", "키: «v»", "المفتاح: «v»", "המפתח הוא «v».", "diff --git a/.env b/.env\n-X=\n+X=«v»", "«file»:«small»:X=«v»",
  "commit «%h40»\n\n    remove «v»", "**«v»**", "`«v»`", "```\n«v»\n```", "(«v»)", "<«v»>", "'«v»'", "\\\"«v»\\\"", "{\\\"v\\\":\\\"«v»\\\"}", "«v»\n«v»", "«v», «v»",
  "docker run -e X=«v» img:«semver»", "helm upgrade r c --set a.b=«v»", "//registry.example.com/:_x=«v»", "[default]\nx = «v»", "x => «v»",
  "log.info(\"using {}\", \"«v»\")",
  "“«v»”", "tool output: ok («v»)", "| «v»", "key «v» expires «date»", "revoke «v»!", "Is «v» still valid?", "https://«host»/cb#«v»", "f(\"«v»\", «small»)",
  "«word»=«small»;x=«v»;", "0: «v»\n1: none", "screenshot text: «v» …",
];

/** Those whose smallest part is a piece of an address, or that need a name beside them. */
const inContext: Maker = (random) => {
  const value = random.pick<() => Piece>([
    () => {
      const secret = chars(random, base62, 24);
      return { text: fill(random, `https://hooks.slack.com/services/T0«%K8»/B0«%K8»/${secret}`), secrets: [secret] };
    },
    () => {
      const secret = mixed(random, 68, `${base62}_-`);
      return { text: fill(random, `https://discord.com/api/webhooks/1«%d17»/${secret}`), secrets: [secret] };
    },
    () => {
      const [id, key] = [fill(random, "AKIA«%b16»"), mixed(random, 40, `${base62}/+`)];
      return { text: random.pick([`[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${key}\nregion = eu-west-1`,
        `AWS_ACCESS_KEY_ID=${id}\nAWS_SECRET_ACCESS_KEY=${key}`, `{"AccessKeyId":"${id}","SecretAccessKey":"${key}"}`]), secrets: [id, key] };
    },
    () => {
      const key = `${chars(random, base62, 1)}${chars(random, `${base62}+/`, 84)}${chars(random, base62, 1)}`;
      return { text: fill(random, `DefaultEndpointsProtocol=https;AccountName=«word»store;AccountKey=${key}==;EndpointSuffix=core.windows.net`), secrets: [key] };
    },
    () => {
      const key = fill(random, "«%x3»8Q~«%x34»");
      return { text: random.pick([`az login --service-principal -p ${key}`, `AZURE_CLIENT_SECRET=${key}`, `app registration, new value ${key}`]), secrets: [key] };
    },
    () => {
      const key = `${chars(random, "0123456789abcdef", 32)}`;
      return { text: fill(random, random.pick([`TWILIO_ACCOUNT_SID=AC«%h32»\nTWILIO_AUTH_TOKEN=${key}`, `{"accountSid":"AC«%h32»","authToken":"${key}"}`])),
        secrets: [key] };
    },
    () => {
      const token = withChecksum("npm_")(random);
      return { text: random.pick([`//registry.npmjs.org/:_authToken=${token}`, `npm config set //registry.npmjs.org/:_authToken ${token}`,
        `NPM_TOKEN=${token} npm publish`]), secrets: [token] };
    },
    () => {
      const token = withChecksum("ghp_")(random);
      return { text: fill(random, random.pick([`git clone https://${token}@github.com/«word»/«word».git`,
        `remote: https://x-access-token:${token}@github.com/«word»/«word»`, `GITHUB_TOKEN=${token}`, `gh auth login --with-token <<< ${token}`])), secrets: [token] };
    },
    () => {
      const token = `${between(random, 100_000_000, 7_999_999_999)}:AA${chars(random, base62, 33)}`;
      return { text: fill(random, `https://api.telegram.org/bot${token}/sendMessage?chat_id=«%d9»`), secrets: [token] };
    },
  ])();
  return value;
};

export const providerPositive: Maker = (random) => {
  if (chance(random, 14)) return inContext(random);
  if (chance(random, 8)) {
    const tokens = [providerToken(random), providerToken(random), providerToken(random)];
    return { text: tokens.map((token, index) => `VALUE_${index}=${token}`).join(random.pick(["\n", "\r\n", "\n\n"])), secrets: tokens };
  }
  return around(random, tokenContexts, providerToken(random));
};

/** Thirty characters whose check fails, small ones so that nothing else about them looks random. */
const wrongChecksum: Make = (random) => {
  const body = chars(random, "abcdefghijklmnopqrstuvwxyz0123456789", 30);
  const check = tokenChecksum(body).toLowerCase();
  return random.pick(["ghp_", "gho_", "ghs_", "npm_"]) + body + (check === tokenChecksum(body) ? "00aa00" : check);
};

const wrongTexts = negative([
  "«w»", "«x»", "«x»", "«t»", "token «w» has a wrong checksum", "\"«w»\"", "A1=«w»", "example: «x»", "curl -H 'X-A: «x»' https://«host»", "export X=«x»",
  "{\"value\":\"«x»\"}", "| «x» | placeholder |", "ghp_ followed by 36 characters", "tokens begin with ghp_, gho_, ghu_, ghs_ or ghr_", "gh[pousr]_[A-Za-z0-9]{36}",
  "AKIA[0-9A-Z]{16}",
  "AIza[0-9A-Za-z_-]{35}", "sk_live_[0-9a-zA-Z]{24,}", "xox[baprs]-[0-9a-zA-Z-]{10,48}", "SG\\.[\\w-]{22}\\.[\\w-]{43}", "/^hf_[a-zA-Z]{34}$/", "glpat-[\\w-]{20}",
  "prefix: \"sk-\"", "startsWith('sk-ant-')", "if (key.startsWith(\"ghp_\")) return;", "npm_config_registry=https://registry.npmjs.org/", "npm_lifecycle_event=«word»",
  "$npm_package_version",
  "npm_config_user_agent=npm/10.2.«small»", "process.env.npm_execpath", "npm_package_json=/app/package.json", "sk-loading-indicator-«word»-«word»-«word»",
  "class=\"sk-circle sk-circle-«small»\"", ".sk-folding-cube .sk-cube1:before {}", "sk-spinner-double-bounce", "sk-«word»-«word»", "import sk-learn", "locale sk-SK",
  "hf_hub_download(repo_id=\"«word»\")",
  "HF_HUB_ENABLE_HF_TRANSFER=1", "hf_transfer==0.1.«small»", "hf_model_name_or_path", "SG.1 is a stock symbol", "SG.«word».«word»", "AKIA is the prefix of access keys",
  "AKIA«%K6»", "ASIA PACIFIC", "ASIA-«%d4»", "AKIASMALL", "AIza…", "AIzaSyShort«%d2»", "ya29.…", "xoxb-", "xoxb-your-bot-token", "xoxp-<team>-<user>-<id>",
  "xoxo-«word»", "xapp-1-…",
  "pk_live_«%x24»", "pk_test_«%x24»", "STRIPE_PUBLISHABLE=pk_live_51«%k20»", "sk_live_…", "sk_test_", "sk_live_«%k5»", "cus_«%x14»", "ch_«%k9»", "sub_«%x14»",
  "key-value-store", "key-«word»-«word»", "key-«small»", "key-signing", "dapi", "dapi-docs", "dapi«%h8»", "AC«%h32»", "SM«%h32»", "MG«%h32» delivered",
  "sid: \"CA«%h32»\"", "PN«%h32»",
  "T0«%K8» is a team, C0«%K8» a channel", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "https://hooks.slack.com/services/…",
  "https://discord.com/api/webhooks/<id>/<token>", "https://discord.com/channels/1«%d17»/1«%d17»", "https://api.telegram.org/bot<token>/getMe", "chat id -100«%d10»",
  "12345678:«word»",
  "123456789:port", "«%d9»:«%d4»", "«semver».atlasv1", "lin_api_key", "lin_api_…", "ntn_page", "secret_santa_«word»", "secret_name", "secret_«word»_«word»_«small»",
  "figd_", "figd_your-token", "hvs.", "hvs.«word»", "s.«word»", "NRAK-…", "NRJS docs", "sntrys_", "https://«%h32»@o«%d6».ingest.sentry.io/«%d7»", "glc_", "glsa_",
  "glpat-", "glpat-«%x6»",
  "dckr_pat_", "dckr_pat_<token>", "dop_v1_", "dop_v1_«%h12»", "shpat_", "shpat_«%h10»", "sq0idp-«word»", "pypi-simple", "pypi-server «semver»",
  "pypi-attestations==0.0.«small»", "EAAA", "whsec_…", "whsec_test", "rubygems_version", "rubygems_mirror", "pul-request", "gsk_«word»", "xai-grpc", "pat«%x4».«%h6»",
  "sqp_", "r8_«word»", "PMAK-", "nfp_«word»",
  "dt0c01.…", "dp.pt.…", "github_pat_", "github_pat_<your token>", "GITHUB_PAT is not set", "github_path=/usr/bin", "keys: sk-***, ghp_***", "ghp_«%l4»***",
  "redacted: ghp_********************", "sk-...«%x4»", "AKIA…«%b4»", "AKIA************«%b4»", "Incorrect key provided: sk-ab***********************«%x4».", "sk-proj-…",
  "sk-proj-name", "sk-ant-…", "sk-ant-template",
  "wrong length: ghp_«%k12»", "hf_«%l12»", "npm_«%k20»", "glpat-«%k9»", "xoxb-«%d5»", "SG.«%k8».«%k8»", "SK«%h12»", "SK«%d4» size chart", "SK«%h16»", "lsv2_pt_",
  "CFPAT-", "AGE-SECRET-KEY-1…", "age1«%k12»", "«%h32»-«word»", "LTAI", "ATATT3x…", "ATATT", "Die Form ist ghp_ und 36 Zeichen.", "Le préfixe est sk_live_.",
  "Префикс glpat-.", "前缀是 ghp_。",
], (random) => ({
  w: wrongChecksum(random),
  x: random.pick(["ghp_", "gho_", "npm_", "sk-", "sk-ant-api03-", "sk-proj-", "sk_live_", "xoxb-", "glpat-", "hf_", "AKIA", "AIza", "SG.", "dckr_pat_", "github_pat_",
    "whsec_", "shpat_", "pypi-", "hvs.", "figd_", "lin_api_"])
    + random.pick(["x", "X", "*", "0", ".", "•"]).repeat(between(random, 8, 40)),
  t: random.pick(["ghp_", "sk-", "sk_live_", "glpat-", "npm_", "hf_", "xoxb-", "AKIA", "SG.", "AIza"]) + random.pick(["<your-token>", "YOUR_TOKEN_HERE",
    "your-token-here", "${TOKEN}", "{{token}}", "$(cat f)", "<TOKEN>", "REPLACE_ME", "...", "…", "EXAMPLE", "example-key", "[redacted]", "%s", "{key}"]),
}));
export const providerNegative: Maker = (random) => {
  const { text } = wrongTexts(random);
  return { text: chance(random, 60) ? text : fill(random,
    random.pick(["«level»: «t»", "# «t»", "Note: «t»", "- «t»", "«stamp» «service» «t»", "> «t»\n\n«first»", "| «word» | «t» |", "// «t»", "see `«t»`"]), { t: text }),
      secrets: [] };
};

const secretOf = (random: Random): string => chars(random, `${base62}_-`, 42) + chars(random, base62, 1);
const algorithms = ["HS256", "HS512", "RS256", "RS512", "ES256", "ES384", "PS256", "EdDSA"];

/** Three parts, or the five of an encrypted one. */
export const jwt: Make = (random) => {
  const alg = random.pick(algorithms);
  const header = fill(random, random.pick(["{\"alg\":\"«a»\",\"typ\":\"JWT\"}", "{\"typ\":\"JWT\",\"alg\":\"«a»\"}", "{\"alg\":\"«a»\"}",
    "{\"alg\":\"«a»\",\"kid\":\"«%k8»\"}", "{\"kid\":\"«uuid»\",\"typ\":\"at+jwt\",\"alg\":\"«a»\"}", "{\"alg\": \"«a»\", \"typ\": \"JWT\"}",
    "{\n  \"alg\": \"«a»\",\n  \"typ\": \"JWT\"\n}", "{\"cty\":\"json\",\"alg\":\"«a»\",\"x5t\":\"«%w27»\"}",
    "{\"jku\":\"https://«host»/jwks.json\",\"kid\":\"«small»\",\"alg\":\"«a»\"}", "{\"alg\":\"«a»\",\"typ\":\"dpop+jwt\"}"]), { a: alg });
  const payload = fill(random, random.pick(["{\"sub\":\"«%d10»\",\"name\":\"«first» «last»\",\"iat\":17«%d8»}",
    "{\"iss\":\"https://«host»\",\"aud\":\"«word»\",\"exp\":17«%d8»}", "{\"sub\":\"«uuid»\",\"scope\":\"read write\",\"roles\":[\"«word»\"]}", "{\"user_id\":«int»}",
    "{\"iss\":\"«word»\",\"sub\":\"ünïcödé\",\"jti\":\"«uuid»\"}", "{\"role\":\"anon\",\"iss\":\"«word»\",\"exp\":20«%d8»}"]));
  if (chance(random, 12)) {
    const encrypted = fill(random, random.pick(["{\"alg\":\"RSA-OAEP\",\"enc\":\"A256GCM\"}", "{\"enc\":\"A128CBC-HS256\",\"alg\":\"ECDH-ES+A128KW\"}"]));
    return [base64url(encrypted), secretOf(random), chars(random, base62, 16), secretOf(random), chars(random, base62, 22)].join(".");
  }
  const signature = alg === "HS512" || alg === "EdDSA" || alg === "ES256" ? chars(random, base62, 86) : alg === "HS256" ? secretOf(random) : chars(random, base62, 342);
  return [base64url(header), base64url(payload), signature].join(".");
};
const jwtContexts = [
  "jwt: «v»", "id=«v»", "Cookie: session=«v»; Path=/; HttpOnly", "Set-Cookie: jwt=«v»; Secure", "https://«host»/callback?jwt=«v»&state=«word»",
  "https://«host»/#access=«v»", "jwt.verify('«v»', pub)", "jwt.decode(\"«v»\", options={\"verify_signature\": False})", "{\"jwt\":\"«v»\"}",
  "JWT «v» expired at «date»",
  "decoded «v»:\n  sub «word»", "ws://«host»/socket?auth=«v»", "X-Id: «v»\r\n", "JsonWebTokenError: invalid signature «v»",
  "assertion=«v»&grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", "SELECT verify('«v»');", "localStorage.setItem('auth', '«v»')", "DPoP: «v»",
  "x-amzn-oidc-data: «v»",
];
export const jwtPositive: Maker = (random) => around(random, chance(random, 45) ? jwtContexts : tokenContexts, jwt(random));
