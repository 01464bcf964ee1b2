import { Buffer } from "node:buffer";
import type { Random } from "../../support/random.ts";
import { identifierText } from "./identifiers.ts";
import { base62, base64, base64url, between, bytes, chance, chars, fill, hexOf, inLines, negative, unpadded, type Make, type Maker } from "./second-parts.ts";

const blob = (random: Random, start: string, size: number): string => start + chars(random, `${base62}+/`, size);
const pem = (random: Random, label: string, start: string,
  size: number): string => `-----BEGIN ${label}-----\n${inLines(blob(random, start, size), 64, "\n")}\n-----END ${label}-----`;

const publicBlock: Make = (random) => random.pick([
  () => pem(random, "PUBLIC KEY", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA", 348), () => pem(random, "RSA PUBLIC KEY", "MIIBCgKCAQEA", 348),
  () => pem(random, "CERTIFICATE", "MIIDdzCCAl+gAwIBAgIE", 1200), () => pem(random, "CERTIFICATE REQUEST", "MIICijCCAXICAQAwRTEL", 900),
  () => pem(random, "X509 CRL", "MIIB0DCBuQIBATANBgkqhkiG", 600), () => pem(random, "NEW CERTIFICATE REQUEST", "MIICijCCAXICAQAwRTEL", 700),
  () => pem(random, "DH PARAMETERS", "MIIBCAKCAQEA", 340), () => pem(random, "PKCS7", "MIIGIQYJKoZIhvcNAQcC", 900),
  () => pem(random, "PGP PUBLIC KEY BLOCK", "mQENBF", 1100).replace("BLOCK-----\n", "BLOCK-----\nVersion: GnuPG v2\n\n"),
  () => pem(random, "PGP SIGNATURE", "iQIzBAABCAAdFiEE", 740).replace("TURE-----\n", "TURE-----\n\n"),
  () => pem(random, "PGP MESSAGE", "hQEMA", 600).replace("SAGE-----\n", "SAGE-----\n\n"),
])();
const sshKey: Make = (random) => random.pick([() => blob(random, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", 43),
  () => blob(random, "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ", 334),
  () => `${blob(random, "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB", 86)}=`])();

const privateKeyNegative = negative([
  "«p»", "«p»", "«p»\n", "cert:\n\n«p»\n\nRegards", "const pub = `«p»`;", "{\"public_key\":\"«e»\\n\"}", "\"x509\": \"«e»\",", "ca: |\n  «i»\n",
  "cat cert.pem\n«p»\n$ ", "«p»\n«p»", "«s» «user»@«word»", "«s»", "authorized_keys:\n  - «s»", "«host» «s»", "command=\"/bin/true\" «s» deploy",
  "ssh_authorized_keys = [\"«s»\"]",
  "-----BEGIN RSA PRIVATE KEY-----", "grep -rn \"BEGIN RSA PRIVATE KEY\" .", "grep -r -- '-----BEGIN' ~/.ssh",
  "if \"-----BEGIN PRIVATE KEY-----\" in text:\n    warn()", "A PEM file starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
  "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
  "-----BEGIN RSA PRIVATE KEY-----\n<your key here>\n-----END RSA PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----\\n${KEY}\\n-----END OPENSSH PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\n[redacted]\n-----END PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY-----\nxxxxxxxxxxxxxxxx\n-----END EC PRIVATE KEY-----",
  "/-----BEGIN [A-Z ]*PRIVATE KEY-----/", "re.compile(r'-----BEGIN (RSA|EC|DSA) PRIVATE KEY-----')", "never commit a private key",
  "The private key stays in the vault, «first».", "private key: see the vault", "PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL)", "openssl genrsa -out «word».pem 4096",
  "ssh-keygen -t ed25519 -f ~/.ssh/id_«word»", "unable to load Private Key",
  "error:0909006C:PEM routines:get_name:no start line", "Enter pass phrase for key.pem:", "the header says BEGIN PGP PRIVATE KEY BLOCK",
  "-----BEGIN «word»-----\nhello\n-----END «word»-----", "----- «word» -----", "------------------ BEGIN OF LOG ------------------",
  "----- BEGIN MESSAGE -----\n«first»\n----- END MESSAGE -----", "ssl_certificate_key /etc/ssl/private/«word».key;",
  "IdentityFile ~/.ssh/id_rsa", "privateKeyPath: ./keys/«word».pem", "private_key_file = \"/etc/keys/«word».pem\"", "class PrivateKey(Key): pass",
  "import { createPrivateKey } from 'crypto';", "KeyFactory.getInstance(\"RSA\").generatePrivate(spec)", "PKCS#8 is a syntax for private keys",
  "Der private Schlüssel bleibt geheim.", "La clé privée reste secrète.", "Закрытый ключ хранится отдельно.", "私钥请妥善保管",
  "expected '-----BEGIN PRIVATE KEY-----' but got '<!DOCTYPE html>'", "«stamp» «level» tls: private key does not match public key",
  "tls: failed to find any PEM data in key input", "key type: RSA, bits: 4096, SHA256:«%B43»", "4096 SHA256:«%B43» «user»@«word» (RSA)",
  "Fingerprint «%H4» «%H4» «%H4» «%H4» «%H4» «%H4»", "-----BEGIN RSA PRIVATE KEY----- is line 1 of «int»", "`-----END PRIVATE KEY-----` is missing",
], (random) => {
  const block = publicBlock(random);
  return { p: block, e: block.replaceAll("\n", "\\n"), i: block.replaceAll("\n", "\n  "), s: sshKey(random) };
});

const json = (random: Random): string => fill(random,
  random.pick(["{\"page\":«small»,\"size\":«small»}", "{\"name\":\"«first»\",\"city\":\"«word»\"}", "{\"cursor\":{\"after\":«int»,\"order\":\"asc\"}}",
    "{\"version\":3,\"sources\":[\"«file»\"],\"names\":[]}", "{\"type\":\"«word»\",\"ids\":[1,2,«small»]}", "{\"algorithm\":\"fast\",\"level\":«small»}",
    "{\"typ\":\"JWT\",\"note\":\"no algorithm\"}"]));
const jwtNegative = negative([
  "cursor=«j»", "next: «j»", "{\"cursor\":\"«j»\"}", "state «j»", "https://«host»/list?after=«j»", "//# sourceMappingURL=data:application/json;base64,«m»", "«j».«k»",
  "«j».«k».«l»", "page «j».«k».«l» of «small»", "X-Cursor: «j».«k»", "eyJ", "eyJhbGciOi… is how they begin", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...",
  "a JWT looks like eyJ….eyJ….sig",
  "header.payload.signature", "<header>.<payload>.<signature>", "base64url(header) + \".\" + base64url(payload) + \".\" + signature", "${header}.${payload}.${sig}",
  "com.example.«word».«word».Main", "org.springframework.boot.autoconfigure.web.«word»", "this.props.«word».«word»", "window.«word».«word».call",
  "app.«word».«word».«semver»", "www.«word».«word».example",
  "«word».«word».«word»", "a.b.c", "System.out.println", "np.linalg.norm", "self.layers.«small».weight", "model.encoder.layer.«small».attention.self.query.weight",
  "transformer.h.«small».mlp.c_fc.bias", "«host»", "«file»", "libfoo.so.«semver»", "jquery.«semver».min.js", "main.«%h8».chunk.js", "«word».test.ts.snap",
  "kube-system.svc.cluster.local",
  "logging.level.org.hibernate=«word»", "spring.jpa.hibernate.ddl-auto=none", "en-US.«word».«word»", "ERR.«word».«int»", "«semver».RELEASE.jar", "JWT has three parts",
  "invalid JWT: expected 3 parts, got 2", "jwt malformed", "JsonWebTokenError: jwt must be provided", "alg: HS256", "{\"alg\":\"HS256\",\"typ\":\"JWT\"}",
  "import jwt from 'jsonwebtoken';", "jwt.sign(payload, key, { algorithm: 'RS256' })",
  "jwt.decode(token, verify=False)", "the alg header must not be none", "JWT «small» min lifetime", "kid=«uuid»", "«uuid».«uuid»", "«%h8».«%h8».«%h8»",
  "«int».«int».«int»", "«date».«word».log", "eyJ is base64 of {\"", "eyJjust.a.name", "eyes.of.tiger", "«first».«last».cv.pdf", "img.«%h16».thumb.webp",
  "Das JWT ist abgelaufen.", "Le jeton JWT a expiré.", "Срок действия JWT истёк.", "JWT 已过期", "0.«%d6».«%d3»",
], (random) => ({ j: base64url(json(random)), k: base64url(json(random)), l: base64url(fill(random, "signed by «word» and «word»")),
  m: base64(fill(random, "{\"version\":3,\"file\":\"«word».js\",\"sources\":[\"../src/«word».ts\",\"../src/«word».ts\"],\"names\":[],\"mappings\":\";;AAAA,SAAS;IACL,OAAO\"}")) }));

const urlNegative = negative([
  "https://«host»/«word»", "https://«host»:«port»/«word»?x=«small»#«word»", "http://localhost:«port»/@«word»", "https://«host»/a:b@c", "https://«host»:8443/users/@me",
  "https://«host»/path;v=1:2@3", "https://«host»/?q=a:b@c", "https://example.com/@«word»/post-«small»", "https://unpkg.example/«word»@«semver»/dist/index.js",
  "https://cdn.example/npm/«word»@«semver»/+esm",
  "ssh://git@«host»:22/a/b.git", "ssh://«user»@«host»", "git+ssh://git@«host»/a/b.git#v«semver»", "ftp://«user»@«host»/pub", "postgres://«host»:5432/«word»",
  "postgres://«user»@«host»:5432/«word»", "postgres:///«word»", "mysql://«user»@localhost/«word»", "redis://«host»:6379/«small»",
  "mongodb://«host»:27017,«host»:27018/«word»", "amqp://«host»:5672",
  "http://[::1]:«port»/", "jdbc:postgresql://«host»:5432/«word»", "jdbc:mysql://«host»/«word»?useSSL=false", "jdbc:oracle:thin:@//«host»:1521/ORCL",
  "sqlite:///var/lib/«word».db", "file:///home/«user»/a:b", "postgres://«user»:${DB_PASSWORD}@«host»/«word»", "postgres://«user»:$DB_PASSWORD@«host»/«word»",
  "postgres://${USER}:${PASS}@${HOST}/«word»", "mysql://«user»:<password>@«host»/«word»",
  "mysql://«user»:{password}@«host»/«word»", "f\"postgresql://{user}:{password}@{host}/{db}\"", "'mongodb://%s:%s@%s:27017' % (u, p, h)", "\"amqp://%s:%s@%s/\"",
  "redis://:{{ redis_password }}@«host»:6379", "redis://:$(REDIS_PASSWORD)@«host»:6379", "https://user:password@example.com", "https://user:pass@example.com/",
  "https://username:password@«host»/«word»", "postgres://user:password@localhost:5432/db",
  "mysql://USER:PASSWORD@HOST:PORT/DB", "scheme://user:password@host:port/path", "postgres://«user»:***@«host»/«word»", "postgres://«user»:****@«host»/«word»",
  "https://«user»:xxxxx@«host»/«word».git", "https://«user»:[redacted]@«host»", "https://${{ secrets.USER }}:${{ secrets.PAT }}@github.com/a/b",
  "https://«user»:@«host»/", "https://oauth2:${TOKEN}@«host»/a/b.git", "https://x-access-token:$GH_TOKEN@github.com/a/b",
  "`postgres://${u}:${p}@${h}`", "postgres://«user»:#{ENV['DB_PASS']}@«host»", "fmt.Sprintf(\"%s:%s@tcp(%s)/%s\", u, p, h, d)",
  "'http://' + user + ':' + pw + '@' + host", "std::format(\"{}:{}@{}\", u, p, h)", "mailto:«first»@example.com", "sip:«user»@«host»:5060", "xmpp:«user»@«host»",
  "at «time» see https://«host»/x", "http://a:«port»", "urn:isbn:0451450523", "s3://«word»-«word»/a/b", "gs://«word»/x",
  "docker.io/«word»/«word»:«semver»@sha256:«%h64»", "«host»:«port»/«word»:«semver»", "git@github.com:«word»/«word».git", "«user»@«host»:/srv/«word»",
  "rsync://«host»/«word»", "view-source:https://«host»/", "https://web.archive.example/web/2024«%d10»/https://«host»/", "https://«host»/login?next=https://«host»/a",
  "key: http://«host»:«port»/, other: a@b", "see http://«host»:80, mail a@b.example",
  "URL format: protocol://user:password@host", "Die URL hat die Form user:password@host.", "The «word» is at http://«host»:«port»/ (ask «first»@work)",
  "http://«host»/x:y, then me@example.com", "<a href=\"http://«host»:«port»\">a@b</a>", "tcp://0.0.0.0:«port»", "unix:///var/run/docker.sock",
  "vscode://file/«file»:«small»:«small»", "chrome-extension://«%l32»/x.html", "magnet:?xt=urn:btih:«%h40»", "data:,a:b@c", "otpauth format",
  "ws://«host»:«port»/socket",
]);

const wrapText = (maker: Maker): Maker => (random) => {
  const { text } = maker(random);
  return { text: chance(random, 60) ? text : fill(random,
    random.pick(["«stamp» «level» «service» «t»", "# «t»", "- «t»\n- «word»", "«first»: «t»", "> «t»\n\n«first»", "// «t»", "«t»\n\n«word»", "see `«t»`",
      "| «word» | «t» |", "(«t»)", "Note: «t»", "<p>«t»</p>"]), { t: text }), secrets: [] };
};

const authorizationNegative = negative([
  "Authorization: Bearer <token>", "Authorization: Bearer ${TOKEN}", "Authorization: Bearer $TOKEN", "Authorization: Bearer $«word»_TOKEN",
  "curl -H \"Authorization: Bearer $API_TOKEN\" https://«host»", "curl -H 'Authorization: Bearer YOUR_TOKEN' https://«host»",
  "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE", "Authorization: Bearer {token}", "Authorization: Bearer {{ access_token }}",
  "headers: { Authorization: `Bearer ${token}` }", "\"Authorization\": \"Bearer \" + token", "'Bearer ' + this.auth.getToken()", "f\"Bearer {token}\"",
  "\"Bearer %s\" % tok", "fmt.Sprintf(\"Bearer %s\", tok)", "$\"Bearer {accessToken}\"", "\"Bearer #{token}\"", "strings.TrimPrefix(h, \"Bearer \")",
  "if (!h.startsWith('Bearer ')) return 401;", "h.split(\"Bearer \")[1]", "/^Bearer (.+)$/i", "Bearer\\s+(\\S+)",
  "WWW-Authenticate: Bearer realm=\"«word»\"", "WWW-Authenticate: Bearer error=\"invalid_token\", error_description=\"expired\"",
  "WWW-Authenticate: Basic realm=\"«word» area\", charset=\"UTF-8\"", "www-authenticate: Bearer scope=\"read:«word»\"", "Bearer authentication (RFC 6750) is required",
  "a bearer token is a string", "missing Bearer token", "Bearer tokens expire after «small» minutes", "the bearer of this letter, «first» «last»",
  "standard-bearer «first»", "Bearer of bad news", "pallbearer duties", "bearer shares and bonds", "{\"token_type\":\"Bearer\",\"expires_in\":3600}",
  "token_type: bearer", "scheme: bearer\n  bearerFormat: JWT", "securitySchemes:\n  bearerAuth:\n    type: http", "type: http, scheme: basic", "Basic authentication",
  "Basic Auth is deprecated", "Basic knowledge of «word» is enough", "Basic plan: «small» users",
  "Visual Basic 6.0", "Basic English vocabulary", "BASIC interpreter from 1978", "10 PRINT \"HELLO\" : REM Basic", "Authorization: Basic <credentials>",
  "Authorization: Basic ${CREDENTIALS}", "Authorization: Basic $(echo -n user:pass | base64)", "Authorization: Basic base64(user:password)",
  "'Basic ' + btoa(user + ':' + pass)", "\"Basic \" + Base64.getEncoder().encodeToString(bytes)", "Basic {{ b64enc }}", "Authorization: Basic xxxxxxxx",
  "Authorization: Bearer xxxxxxxxxxxxxxxx",
  "Authorization: Bearer ***", "Authorization: Bearer [redacted]", "Authorization: Bearer …", "Authorization: Bearer ...", "authorization: bearer", "Authorization:",
  "Authorization: none", "Authorization failed for «first»", "Authorization header is missing", "authorization: required", "enum Auth { Basic, Bearer, Digest }",
  "Basic, Bearer and Digest are schemes", "auth_type = \"basic\"", "AuthType Basic\nAuthName \"«word»\"", "proxy_set_header Authorization $http_authorization;",
  "http://www.w3.org/ns/auth/basic", "Basic Linux commands", "Basic Usage", "Basic Installation Instructions", "BasicAuthenticationFilter", "HttpBasicAuthHandler",
  "Basic types: int, bool", "Bearer: «word»", "Der Überbringer (bearer) zeigt das Papier vor.", "Basic-Auth ist abgeschaltet",
  "L'authentification Basic est désactivée", "Схема Bearer обязательна", "必须使用 Bearer 认证", "Bearer トークンが必要です", "Access-Control-Allow-Headers: Authorization, X-«word»",
]);

const assignmentNegative = negative([
  "«n»: string", "«n»: string;", "«n»?: string | null;", "«n»: str", "«n»: Optional[str] = None", "«n» = None", "«n» = null;", "«n»: null", "\"«n»\": null",
  "\"«n»\": \"\"", "«n»=", "«n» = \"\"", "«n»: ''", "«n» = undefined", "«n»: true", "\"«n»\": false", "«n»: z.string().min(8)", "«n»: { type: String, required: true }",
  "\"«n»\": {\"type\": \"string\"}", "«n» String `json:\"«n»\"`", "«n» VARCHAR(255) NOT NULL",
  "«n» = os.environ[\"«N»\"]", "«n» = os.getenv('«N»')", "«n»: process.env.«N»", "«n» = ENV.fetch('«N»')", "«n» = System.getenv(\"«N»\");", "$«n» = getenv('«N»');",
  "«n» = config.get('«n»')", "«n» = get«word»(«small»)", "const «n» = await prompt('?');", "«n» = input(\"> \")", "«n» = getpass.getpass()",
  "«n» = request.form['«n»']", "«n» = req.body.«n»;", "«n» = this.form.value.«n»", "«n» = user.«n»", "«n» = args.«n»", "«n»=«n»",
  "«n»=${«N»}", "«n»=$«N»", "«n»: ${«N»}", "«n»: \"${«N»}\"", "«n»: {{ .Values.«n» }}", "«n»: \"{{ vault_«n» }}\"", "«n»: ${{ secrets.«N» }}", "«n» = \"%(«n»)s\"",
  "«n»: <%= ENV['«N»'] %>", "«n» = var.«n»", "«n» = data.vault.«word».data[\"x\"]", "«n»: !vault |", "«n»: !Ref «word»Param", "«n» = @«n»", "WHERE «n» = :«n»",
  "WHERE «n» = ?", "WHERE «n» = $1", "«n»=%s", "«n» = \"{}\".format(x)",
  "«n»=<your-«n»>", "«n»=<«n»>", "\"«n»\": \"<«n»>\"", "«n»=your_«n»_here", "«n»: YOUR_«N»", "«n»=changeme", "«n»: \"changeme\"", "«n»=change-me", "«n»=CHANGE_ME",
  "«n»=xxxxxxxx", "«n»: \"********\"", "«n»=***", "«n»: [redacted]", "«n»: (hidden)", "«n»=REDACTED", "«n»=example", "«n»=placeholder", "«n»=TODO", "«n»: \"string\"",
  "«n»=...", "«n»: …", "«n»: \"your «n»\"", "«n» = \"insert-«n»-here\"",
  "if («n» == null) return;", "if («n» === '')", "«n» !== confirm", "assert «n» != other", "if («n».length >= «small»)", "«n» => hash(«n»)", "(«n») => {}",
  "def login(user, «n»=None):", "func login(«n» string) error", "fn f(«n»: &str) -> bool", "«n»: &'static str", "private String «n»;", "protected $«n»;",
  "type=\"password\"", "<input type=\"password\" name=\"«n»\" autocomplete=\"current-password\">", "<label for=\"«n»\">«n»:</label>",
  "max_tokens: «int»", "max_tokens=«int»", "\"max_tokens\": 4096", "maxTokens = 1024", "\"total_tokens\": «int», \"prompt_tokens\": «int»", "completion_tokens=«int»",
  "nextPageToken: \"page-«small»\"", "\"nextPageToken\": \"CAo«%d2»\"", "next_page_token=«small»", "token_count: «int»", "num_tokens = len(tokens)",
  "tokens: [\"«word»\", \"«word»\"]", "tokenizer: \"«word»-base\"", "pad_token_id=0", "eos_token=\"</s>\"", "bos_token: <s>", "unk_token: \"[UNK]\"",
  "token_type: bearer", "token_endpoint: https://«host»/oauth", "tokenUrl: https://«host»/t", "password_reset_url: https://«host»/reset", "passwordMinLength: «small»",
  "password_policy: strict", "password_expires_at: «date»", "secretName: «word»-«word»", "secretKeyRef:\n  name: «word»\n  key: «word»", "secret_id_ttl=10m",
  "existingSecret: «word»-creds", "imagePullSecrets:\n  - name: «word»", "POSTGRES_PASSWORD_FILE=/run/secrets/«word»",
  "passwordFile: /etc/«word»/pw", "--password-stdin", "--password-file=./«word».txt", "api_key_header: X-Api-Key", "apiKeyRequired: true", "api_key_name=«word»",
  "Password: at least «small» characters", "Password:", "Password: ", "Enter password:", "[sudo] password for «user»:", "Password reset: see the mail",
  "Forgot password? Click here", "The secret: practise every day", "Token: a word or a part of one", "password (required)", "Passwort vergessen?",
  "Mot de passe oublié ?", "Пароль: не менее восьми знаков", "密码:至少八个字符", "token expired at «date»", "unexpected token: '}'",
  "Unexpected token < in JSON at position «small»", "SyntaxError: Unexpected token: punc ())", "token := lexer.Next()", "token = tokens[i]",
  "Token token = stream.read();", "this.token = token;", "let token = self.peek()?;", "switch (token.kind) { case 1: break; }", "CancellationToken token = default",
  "token: CancellationToken",
  "csrf_token()", "{% csrf_token %}", "@csrf", "\"token\": {\"$ref\": \"#/definitions/Token\"}", "password: { minLength: 8 }", "i18n: password: 'Password'",
  "\"password\": \"Password\"", "\"password_label\": \"Your password\"", "error: password is too short", "errors.password = 'Required'",
  "password: 'must contain a digit'", "validates :password, presence: true", "t.string :password_digest", "password_hash_rounds=«small»", "key = \"«word»\"",
  "primary_key: id", "foreign_key=user_id", "sort_key: «word»", "keyboard: qwerty",
  "hotkey=ctrl+«%l1»", "compass: north", "passenger: «first»", "pass: 12, fail: 0", "bypass = true", "secretary: «first» «last»", "author_token_list", "tokenized=true",
  "public_key: see docs", "\"required\": [\"user\", \"password\"]", "scopes: [\"token\", \"password\"]", "grant_type=password", "grant_type=refresh_token",
  "response_type=token", "subject_token_type=jwt", "«n»: File(path)", "«n» = new SecureString();", "«n»: Password;", "«n» = Secret.from(«word»);",
  "«n»=\"$(cat /run/secrets/«word»)\"", "«n»=`pass show «word»`", "«n» = read_file(\"./«word»\")",
], (random) => {
  const name = random.pick(["password", "passwd", "db_password", "secret", "client_secret", "clientSecret", "api_key", "apiKey", "token", "access_token", "authToken",
    "userPassword", "webhook_secret", "refreshToken"]);
  return { n: name, N: name.replace(/([a-z])([A-Z])/gu, "$1_$2").toUpperCase() };
});

const image = (random: Random, length: number): Buffer => Buffer.concat([Buffer.from(random.pick(["89504e470d0a1a0a0000000d49484452", "ffd8ffe000104a46494600010101",
  "47494638396110001000", "774f4632000100000000"]), "hex"), bytes(random, length)]);
const upperFirst = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

const entropyNegative = negative([
  ...Array.from({ length: 30 }, () => "«I»"), "page two: «I»", "«uuid»", "id «uuid» and «uuid»", "{\"id\":\"«uuid»\"}", "commit «%h40»", "«%h40» refs/heads/main", "index «%h7»..«%h7» 100644", "Merge «%h40» into «%h40»",
  "md5 «%h32»", "sha256:«%h64»", "sha512 «%h128»  «word».tar.gz", "«%H64»", "0x«%h64»", "etag: W/\"«%h32»\"", "\"integrity\": \"sha512-«%B86»==\"",
  "\"resolved\": \"https://registry.npmjs.org/«word»/-/«word»-«semver».tgz\",\n\"integrity\": \"sha512-«%B86»==\"",
  "integrity=\"sha384-«%B64»\"", "integrity sha1-«%B27»=", "<script src=\"x.js\" integrity=\"sha256-«%B43»=\" crossorigin></script>", "script-src 'sha256-«%B43»='",
  "SHA256:«%B43»", "host key SHA256:«%B43» (ED25519)", "golang.org/x/«word» v«semver» h1:«%B43»=", "golang.org/x/«word» v«semver»/go.mod h1:«%B43»=",
  "digest: sha-256=«%B43»=", "hash = \"sha256-«%B43»=\";", "resolution: {integrity: sha512-«%B86»==}",
  "checksum = \"«%h64»\"", "--hash=sha256:«%h64»", "/nix/store/«%k32»-«word»-«semver»", "data:image/png;base64,«i»", "url(data:image/gif;base64,«i»)",
  "![x](data:image/jpeg;base64,«i»)", "src: url(data:font/woff2;base64,«i») format('woff2')", "Content-Transfer-Encoding: base64\r\n\r\n«L»\r\n", "«L»",
  "\"image/png\": \"«b»\"", "«s»", "«s» «user»@«word»", "-----BEGIN CERTIFICATE-----\n«L»\n-----END CERTIFICATE-----",
  "«N»", "«N»: «small»", "call «N»(x)", "import «N» from './«N»';", "«P»", "cd «P»", "at «P»:«small»", "«word»_«word»_«word»_«word»_«word»_«small»",
  "«word»-«word»-«word»-«word»-«word»-«small»", "/api/v«%n1»/«word»/«word»/«int»/«word»-«word»", "https://«host»/«word»/«word»-«word»-«word»-«word»/«int».html",
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305-SHA256",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'",
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "[A-Za-z0-9+/=]{32,}", "(?<year>[0-9]{4})-(?<month>[0-9]{2})", "_ZNSt6vectorIiSaIiEE9push_backERKi",
  "_ZN4core3fmt9Formatter9write_str17h«%h16»E", "_ZNKSt8functionIFvvEEclEv",
  "function e(t,n){return t&&n?t.a(n):void 0}var r=e(1,2);!function(){\"use strict\";var o=r}();",
  "!function(e,t){\"object\"==typeof exports?module.exports=t():e.X=t()}(this,function(){return 42});", ".a{color:#«%h6»;margin:0 auto}.b>.c:hover{opacity:.5}",
  "M10 20L30 40Q50 60 70 80Z", "d=\"M12.5 3.2c1.4-.7 2.1.3 2.8 1.1l4.2 6.9z\"", "CC(C)CC1=CC=C(C=C1)C(C)C(=O)O", "HEFNNWSXXWATRW-UHFFFAOYSA-N",
  "ATGCGTACGTTAGCATCGGATCCATGCATTACG",
  "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF", "S-1-5-21-«%d10»-«%d10»-«%d9»-1001", "{«%H8»-«%H4»-«%H4»-«%H4»-«%H12»}", "01«%K24»", "ulid 01H«%K23»", "«%k32»",
  "session «%k26» (small letters)", "arn:aws:lambda:eu-west-1:«%d12»:function:«word»-«word»", "projects/«word»-«word»/locations/europe-west1/clusters/«word»",
  "GPU-«uuid»", "urn:uuid:«uuid»", "main.«%h20».js", "chunk-«%h8».«%h8».css",
  "Donaudampfschifffahrtsgesellschaftskapitän", "kraftfahrzeughaftpflichtversicherung2024", "Pneumonoultramicroscopicsilicovolcanoconiosis",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "AbAbAbAbAbAbAbAbAbAbAbAbAbAbAbAb12", "00000000000000000000000000000000", "=========================================",
  "abcdefghijklmnopqrstuvwxyz0123456789", "QWERTYUIOPASDFGHJKLZXCVBNM", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)", "net8.0-windows10.0.19041", "x86_64-unknown-linux-gnu", "aarch64-apple-darwin23.«small».0",
  "jdk-17.0.«small»_linux-x64_bin.tar.gz", "traceparent: 00-«%h32»-«%h16»-01", "X-Request-Id: «uuid»", "req_id=«%h32» span=«%h16»", "container «%h64»",
  "image «%h12» pruned", "0x«%h40»", "tx 0x«%h64» mined", "PublicKey for peer: see wg0.conf",
], (random) => {
  const [a, b, c, d] = [0, 1, 2, 3].map(() => upperFirst(fill(random, "«word»")));
  const name = random.pick([`get${a}${b}${c}By${d}Id2`, `Abstract${a}${b}${c}FactoryBean${between(random, 2, 9)}`,
    `test${a}Is${b}When${c}Has${between(random, 2, 9)}${d}s`, `k${a}${b}Type${c}${between(random, 16, 64)}Bit${d}`, `${a}${b}V2${c}Http2${d}Handler`,
    `convertUtf8To${a}${b}Utf16${c}`, `on${a}${b}${c}${d}Changed`, `I${a}${b}${c}Service3Async`]);
  const path = random.pick([`/usr/lib/x86_64-linux-gnu/${a}${b}/lib${c}2.so`, `/home/dev/${a}Project/src/main/java/com/example/${b}${c}Impl2.java`,
    `C:\\Program Files\\${a}${b}\\v4.0.30319\\${c}.dll`, `node_modules/@${b!.toLowerCase()}/${c!.toLowerCase()}/dist/esm2022/${a}${d}.mjs`,
    `/Users/${a}/Library/Developer/Xcode/${b}${c}16/${d}.app`]);
  const plain = image(random, between(random, 200, 500)).toString("base64");
  return { i: plain, b: plain, L: inLines(plain, 76, random.pick(["\n", "\r\n"])), s: sshKey(random), N: name, P: path, I: identifierText(random) };
});

const harmless: Make = (random) => fill(random, random.pick([
  "Hello «first», the «word» is on the «word».", "{\"page\":«small»,\"sort\":\"«word»\"}", "The quick brown fox jumps over the lazy dog",
  "SELECT name FROM «word» WHERE id = «int»", "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0h24v24H0z\"/></svg>",
  "<html><body><p>«word» «word»</p></body></html>", "#!/bin/sh\necho «word»\nexit 0\n", "name: «word»\nversion: «semver»\n",
  "Schöne Grüße aus München, «first»!", "Ça va très bien, merci «first».", "Привет, «first», как дела сегодня?", "你好,世界,今天天气很好。", "こんにちは、元気ですか。", "مرحبا بالعالم كله",
  "안녕하세요 여러분", "id,name\n1,«word»\n2,«word»\n", "cursor:«date»:«int»", "gid://shop/Product/«int»", "«word» «word» «word» «word»",
  "{\"user\":\"«first»\",\"lang\":\"de\",\"items\":[1,2,«small»]}",
  "{\"version\":3,\"sources\":[\"«file»\"],\"mappings\":\"AAAA;AACA\"}", "https://«host»/«word»?page=«small»", "«first» «last», «word» street «small»",
  "password=<your-password>", "{\"password\":\"${PASSWORD}\"}", "token_type=bearer&expires_in=3600", "max_tokens=«int»", "user:«word»:read",
  "Lorem ipsum dolor sit amet, consectetur adipiscing elit.", "export PATH=$PATH:/usr/local/bin", "[section]\nkey = «word»\n", "arraycontribution«int»",
]));
const percentOf = (text: string): string => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
const encoders: readonly ((text: string) => string)[] = [base64, base64, (text) => unpadded(base64(text)), base64url, base64url, hexOf, hexOf, percentOf,
  encodeURIComponent, (text) => base64(base64(text)), (text) => hexOf(base64(text)), (text) => JSON.stringify(JSON.stringify({ v: text })),
  (text) => [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")];
const bytesText: Make = (random) => random.pick<Make>([
  () => image(random, between(random, 180, 400)).toString("base64"), () => bytes(random, between(random, 8, 80)).toString("hex"),
  () => bytes(random, between(random, 8, 32)).toString("hex").toUpperCase(), () => `data:image/png;base64,${image(random, 60).toString("base64")}`,
  () => inLines(bytes(random, 300).toString("base64"), 76, "\n"),
  () => [...bytes(random, 20)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  () => [...bytes(random, 16)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""),
  () => [...bytes(random, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join(" "), () => bytes(random, 240).toString("base64"),
  () => Buffer.alloc(between(random, 18, 60)).toString("base64"),
])(random);

const encodedNegative: Maker = (random) => {
  const value = chance(random, 25) ? bytesText(random) : random.pick(encoders)(harmless(random));
  return { text: fill(random, random.pick(["«v»", "data: «v»", "{\"payload\":\"«v»\"}", "echo «v» | base64 -d", "cursor=«v»", "https://«host»/list?after=«v»",
    "blob «v» stored", "«stamp» «level» body=«v»", "content: \"«v»\"", "atob('«v»')", "x = \"«v»\"", "| «word» | «v» |", "<data>«v»</data>", "X-State: «v»\r\n",
    "after: «v»\nfirst: «small»", "`«v»`", "«v»\n«word»", "# «v»",
    "Content-Type: text/plain\r\n\r\n«v»", "«first»: «v»", "Der Text: «v»", "内容:«v»", "A1=«v»"]), { v: value }), secrets: [] };
};

export const secretNegatives: Readonly<Record<"private-key" | "jwt" | "url-password" | "authorization" | "assignment" | "high-entropy" | "encoded", Maker>> = {
  "private-key": wrapText(privateKeyNegative), jwt: wrapText(jwtNegative), "url-password": wrapText(urlNegative), authorization: wrapText(authorizationNegative),
  assignment: wrapText(assignmentNegative), "high-entropy": wrapText(entropyNegative), encoded: encodedNegative,
};
