import { Buffer } from "node:buffer";
import type { Random } from "../../support/random.ts";
import { around, base62, base64, base64url, between, bytes, chance, chars, fill, hexOf, inLines, mixed, password, unpadded, uuid, weighted, type Make, type Maker, type Piece } from "./second-parts.ts";
import { jwt, providerToken, tokenContexts } from "./second-tokens.ts";

interface Block { readonly label: string; readonly head: string; readonly start: string; readonly size: number; readonly tail: string }

const blockKinds: readonly (readonly [number, Block])[] = [
  [6, { label: "RSA PRIVATE KEY", head: "", start: "MIIEpAIBAAKCAQEA", size: 1192, tail: "" }],
  [2, { label: "RSA PRIVATE KEY", head: "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,«%H32»\n\n", start: "", size: 1192, tail: "" }],
  [4, { label: "EC PRIVATE KEY", head: "", start: "MHcCAQEEI", size: 121, tail: "=" }],
  [6, { label: "PRIVATE KEY", head: "", start: "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw", size: 1216, tail: "" }],
  [2, { label: "PRIVATE KEY", head: "", start: "MC4CAQAwBQYDK2VwBCIEI", size: 43, tail: "" }],
  [2, { label: "ENCRYPTED PRIVATE KEY", head: "", start: "MIIFHDBOBgkqhkiG9w0BBQ0wQTAp", size: 1300, tail: "==" }],
  [5, { label: "OPENSSH PRIVATE KEY", head: "", start: "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz", size: 300, tail: "=" }],
  [1, { label: "DSA PRIVATE KEY", head: "", start: "MIIBuwIBAAKBgQ", size: 540, tail: "=" }],
  [3, { label: "PGP PRIVATE KEY BLOCK", head: "Version: GnuPG v2\n\n", start: "lQOYBF", size: 900, tail: "\n=«%B4»" }],
  [1, { label: "PGP PRIVATE KEY BLOCK", head: "\n", start: "lFgEY", size: 400, tail: "\n=«%B4»" }],
];

const bodyOf = (random: Random, block: Block): string => inLines(block.start + chars(random, `${base62}+/`, block.size), block.label.startsWith("OPENSSH") ? 70 : 64,
  "\n") + fill(random, block.tail);

const blockContexts = [
  "«v»", "«v»\n", "cat id_rsa\n«v»\n$ ", "Here is the key:\n\n«v»\n\nThanks, «first»", "```\n«v»\n```", "const pem = `«v»`;", "KEY = \"\"\"«v»\"\"\"",
  "cat > k.pem <<EOF\n«v»\nEOF", "<key>\n«v»\n</key>", "«stamp» «level» loaded\n«v»\n«stamp» INFO done", "# «word»\n«v»", "SSL_KEY='«v»'",
  "-----BEGIN CERTIFICATE-----\n«cert»\n-----END CERTIFICATE-----\n«v»", "Der Schlüssel:\n«v»", "以下是密钥:\n«v»\n请勿外传", "Content-Type: application/x-pem-file\r\n\r\n«v»",
  "{{ tls.key }}\n«v»", "x: |\n«v»", "«first»: can you check this?\n«v»\n«last»: delete that!", "«v»\n«v»",
];
const oneLineContexts = [
  "{\"private_key\":\"«v»\\n\",\"client_id\":\"«%d12»\"}", "{\"type\":\"service_account\",\"private_key_id\":\"«%h40»\",\"private_key\":\"«v»\\n\"}",
  "PRIVATE_KEY=\"«v»\"", "\"key\": \"«v»\",", "export KEY='«v»'", "key := \"«v»\"", "const k = \"«v»\" + \"\\n\";", "k = b\"«v»\"", "log: {\"pem\":\"«v»\"}", "- «v»",
  "puts \"«v»\"", "echo -e \"«v»\" > k.pem",
];

function keyIn(random: Random, block: Block, body: string): Piece {
  const whole = `-----BEGIN ${block.label}-----\n${fill(random, block.head)}${body}\n-----END ${block.label}-----`;
  const kind = random.below(10);
  if (kind < 5) return inBlockContext(random, kind === 4 ? whole.replaceAll("\n", "\r\n") : whole);
  if (kind < 8) return around(random, oneLineContexts, whole.replaceAll("\n", kind === 5 ? "\\r\\n" : "\\n"));
  if (kind === 8) {
    const indented = whole.replaceAll("\n", "\n    ");
    return { text: fill(random, random.pick(["apiVersion: v1\nstringData:\n  tls.key: |\n    «v»\n  a: b", "ssl:\n  key: |-\n    «v»\n", "    «v»\n\ntext goes on",
      "resource \"x\" \"y\" {\n  key = <<-EOT\n    «v»\n  EOT\n}"]), { v: indented }), secrets: [indented] };
  }
  // Each line has a sign of its own before it, so the lines of the body are the smallest secrets.
  const sign = random.pick(["> ", "+", "# ", "// ", "-", " * ", "| "]);
  return { text: whole.split("\n").map((line) => sign + line).join("\n"), secrets: body.split("\n").filter((line) => line.length > 12) };
}
const inBlockContext = (random: Random, text: string): Piece => {
  const cert = inLines(`MIID${chars(random, `${base62}+/`, 900)}`, 64, "\n");
  return { text: fill(random, random.pick(blockContexts), { v: text, cert }), secrets: [text] };
};

/** As a limit of characters or a scrolled screen leaves it. */
function cutShort(random: Random, block: Block, body: string): Piece {
  if (chance(random, 12)) {
    const lines = body.split("\n");
    const rest = lines.slice(random.below(Math.ceil(lines.length / 2)));
    return { text: `…\n${rest.join("\n")}\n-----END ${block.label}-----\n`, secrets: rest.filter((line) => line.length > 12) };
  }
  const escaped = chance(random, 30);
  const kept = body.slice(0, between(random, Math.min(90, body.length - 4), body.length - 2)).trimEnd();
  const plain = `-----BEGIN ${block.label}-----\n${fill(random, block.head)}${kept}`;
  const text = escaped ? plain.replaceAll("\n", "\\n") : plain;
  return { text: fill(random, random.pick(["«v»", "«v»", "«v»…", "«v»...", "«v»\n[truncated «int» bytes]", "$ head k.pem\n«v»\n$ ", "key is\n«v»", "{\"pem\":\"«v»",
    "«v»\n\n(output cut)", "«stamp» «level» «v»"]), { v: text }), secrets: [text] };
}
export const privateKeyPositive: Maker = (random) => {
  const block = weighted(random, blockKinds);
  const body = bodyOf(random, block);
  return chance(random, 25) ? cutShort(random, block, body) : keyIn(random, block, body);
};

const urlPassword: Make = (random) => {
  const text = weighted<Make>(random, [[6, password], [2, () => mixed(random, between(random, 16, 40))],
    [1, () => `${chars(random, "abcdefhkmnprstuvwxyz", 9)}${between(random, 10, 99)}`], [1, () => chars(random, "0123456789abcdef", 32)]])(random);
  return chance(random, 15) ? `${text.slice(0, 5)}${random.pick(["%40", "%23", "%2F", "%3A", "%21"])}${text.slice(5)}` : text;
};
const urls = [
  "postgres://«user»:«v»@«host»:5432/«word»", "postgresql://«user»:«v»@«host»/«word»?sslmode=require", "postgresql+psycopg2://«user»:«v»@localhost/«word»",
  "mysql://«user»:«v»@«host»:3306/«word»", "mysql+pymysql://«user»:«v»@127.0.0.1/«word»?charset=utf8mb4", "mariadb://«user»:«v»@db/«word»",
  "mongodb://«user»:«v»@«host»:27017/«word»?authSource=admin", "mongodb+srv://«user»:«v»@cluster0.ab«%k3».mongodb.example/«word»",
  "mongodb://«user»:«v»@a.example:27017,b.example:27017/«word»?replicaSet=rs0", "redis://:«v»@«host»:6379/0", "rediss://default:«v»@«host»:6380",
  "redis://«user»:«v»@cache", "amqp://«user»:«v»@«host»:5672/%2f",
  "amqps://«user»:«v»@mq.example/«word»", "smtp://«user»:«v»@mail.example:587", "smtps://postmaster%40example.org:«v»@smtp.example:465",
  "ftp://«user»:«v»@ftp.example/pub", "sftp://«user»:«v»@«host»:22/home", "https://«user»:«v»@«host»/«word».git", "http://«user»:«v»@proxy.example:3128",
  "ldap://cn=admin:«v»@ldap.example",
  "ldaps://«user»:«v»@ldap.example:636/dc=example", "mssql://«user»:«v»@«host»:1433/«word»", "mssql+pyodbc://sa:«v»@«host»/«word»?driver=ODBC+Driver+18",
  "sqlserver://sa:«v»@«host»:1433?database=«word»", "clickhouse://default:«v»@«host»:9000/«word»", "cockroachdb://«user»:«v»@«host»:26257/bank",
  "neo4j+s://neo4j:«v»@«host»",
  "bolt://neo4j:«v»@localhost:7687", "cassandra://«user»:«v»@«host»/ks", "elasticsearch://elastic:«v»@«host»:9200", "https://elastic:«v»@«host»:9200",
  "snowflake://«user»:«v»@acct/«word»/public", "nats://«user»:«v»@«host»:4222", "mqtt://«user»:«v»@broker.example", "socks5://«user»:«v»@127.0.0.1:1080",
  "rtsp://«user»:«v»@192.168.0.«small»:554/stream1",
  "imap://«user»%40example.com:«v»@imap.example:993", "oracle://«user»:«v»@«host»:1521/ORCL", "couchdb://admin:«v»@«host»:5984",
  "influxdb://«user»:«v»@«host»:8086/«word»", "trino://«user»:«v»@«host»:443/hive", "presto://«user»:«v»@[2001:db8::1]:8080/hive",
  "s3://«user»:«v»@minio.example:9000/«word»", "ssh://«user»:«v»@«host»:2222",
  "git+https://oauth2:«v»@git.example/«word»/«word».git@main", "https://gitlab-ci-token:«v»@git.example/a/b.git", "https://x-token-auth:«v»@bitbucket.example/a/b",
  "vnc://«user»:«v»@«host»", "svn+ssh://«user»:«v»@«host»/trunk", "rabbitmq://guest1:«v»@«host»", "kafka://«user»:«v»@«host»:9092",
  "memcached://«user»:«v»@«host»:11211", "jdbc:postgresql://«user»:«v»@«host»/«word»",
  "jdbc:mysql://«user»:«v»@«host»:3306/«word»", "db2://«user»:«v»@«host»:50000/«word»", "firebird://sysdba:«v»@«host»//data/x.fdb",
  "webdav://«user»:«v»@files.example/dav", "ws://«user»:«v»@«host»/ws", "tcp://«user»:«v»@«host»:9000", "pop3://«user»:«v»@pop.example", "http://«v1»:«v»@«host»/",
  "«user»:«v»@tcp(«host»:3306)/«word»?parseTime=true",
];
const urlContexts = [
  "DATABASE_URL=«v»", "export http_proxy=«v»", "url: «v»", "url: \"«v»\"", "{\"url\":\"«v»\"}", "{\"dsn\":\"«v»\",\"pool\":«small»}", "curl «v»",
  "psql \"«v»\" -c 'select 1'", "connecting to «v»", "could not connect to «v»: timeout", "«stamp» «level» «service» db=«v»", "[«time»] dial «v» refused",
  "engine = create_engine(\"«v»\")",
  "const db = connect('«v»');", "db, err := sql.Open(\"x\", \"«v»\")", "spring.datasource.url=«v»", "git remote add origin «v»", "origin\t«v» (fetch)",
  "<connection>«v»</connection>", "| «word» | «v» |", "«word»,«v»,«date»", "- «v»\n- «word»", "environment:\n  - BROKER_URL=«v»", "[«word»](«v»)", "<«v»>", "(«v»)",
  "`«v»`",
  "Hi «first», the database is at «v» now.", "Die Adresse ist «v» (intern).", "L'adresse : «v»", "Адрес: «v»", "数据库:«v» 已就绪", "接続先:«v»", "// «v»", "# «v»",
  "OperationalError: connection to «v» failed", "Error: connect ECONNREFUSED «v»\n    at Socket (net.js:«small»:«small»)", "sqlalchemy.url = «v»", "\\\"«v»\\\"",
  "docker run -e DB=«v» img", "Location: «v»\r\n",
  "VALUES ('«v»')", "«v»\n«v»", "proxy = \"«v»\"", "--broker «v»", "celery -b «v» worker", "pip install --index-url «v» pkg", "let c = Client::open(\"«v»\")?;",
  "«v»", "ffmpeg -i \"«v»\" out.mp4", "adapter: x, url: '«v»'",
];
export const urlPositive: Maker = (random) => {
  const secret = urlPassword(random);
  const url = fill(random, random.pick(urls), { v: secret, v1: fill(random, "«%k20»") });
  return around(random, urlContexts, url, secret);
};

const bearer: Make = (random) => weighted<Make>(random,
  [[5, () => mixed(random, between(random, 24, 64))], [2, () => mixed(random, 43, `${base62}_-`)], [3, jwt], [3, providerToken], [2, () => fill(random, "«%h40»a1")],
  [1, uuid], [1, () => fill(random, "tok_«%k16»7a")], [1, () => mixed(random, 40, `${base62}._~-`)]])(random);
const basic: Make = (random) => unpadded(base64(fill(random,
  random.pick(["«user»:«p»", "«first»:«p»", "«user»@example.org:«p»", "«%k20»:«%x32»", "api:«p»", "«user»:«p» «word» ñ"]), { p: password(random) })));
const schemeContexts = [
  "Authorization: «s» «v»", "authorization: «s» «v»\r\nAccept: */*", "GET /v1/me HTTP/1.1\r\nHost: «host»\r\nAuthorization: «s» «v»\r\n\r\n",
  "curl -H \"Authorization: «s» «v»\" https://«host»/v1", "curl -H 'authorization:«s» «v»' https://«host»", "{\"Authorization\":\"«s» «v»\"}",
  "{\"headers\":{\"authorization\":\"«s» «v»\",\"accept\":\"*/*\"}}",
  "headers = {'Authorization': '«s» «v»'}", "fetch(u, { headers: { Authorization: `«s» «v»` } })", "req.Header.Set(\"Authorization\", \"«s» «v»\")",
  "request.setHeader(\"Authorization\", \"«s» «v»\");", "$h = @{ Authorization = \"«s» «v»\" }", "-H 'Authorization: «s» «v»' \\\n  -d '{}'",
  "Proxy-Authorization: «s» «v»", "> Authorization: «s» «v»\n> Accept: */*",
  "«stamp» DEBUG http: Authorization: «s» «v»", "\"-H\", \"Authorization: «s» «v»\"", "http.extraheader=AUTHORIZATION: «s» «v»", "Authorization=«s» «v»",
  "AUTH_HEADER=\"«s» «v»\"", "{\\\"Authorization\\\":\\\"«s» «v»\\\"}", "use «s» «v» as header", "header: «s» «v»", "- name: Authorization\n  value: «s» «v»",
  "authorization => «s» «v»", "auth: \"«s» «v»\"",
  "| Authorization | `«s» «v»` |", "wget --header='Authorization: «s» «v»' https://«host»", "Header «s» «v» war ungültig", "En-tête : «s» «v»", "Заголовок: «s» «v»",
  "请求头:Authorization: «s» «v»", "client.defaults.headers.common['Authorization'] = '«s» «v»';", "[\"authorization\",\"«s» «v»\"]", "metadata: authorization=«s» «v»",
  "<Header name=\"Authorization\">«s» «v»</Header>",
  "grpcurl -H 'authorization: «s» «v»' «host»:443 list", "$req->header('Authorization', '«s» «v»');", "http GET «host» 'Authorization:«s» «v»'",
  "«first»: I send `Authorization: «s» «v»` and get 401", "Authorization: «s» «v»\nAuthorization: «s» «v»", "request(auth=\"«s» «v»\")", "'Authorization: «s» «v»'",
  "Authorization:\t«s» «v»",
];
export const authorizationPositive: Maker = (random) => {
  const isBasic = chance(random, 35);
  const value = isBasic ? basic(random) : bearer(random);
  const scheme = random.pick(isBasic ? ["Basic", "Basic", "Basic", "basic"] : ["Bearer", "Bearer", "Bearer", "bearer", "BEARER"]);
  return { text: fill(random, random.pick(schemeContexts), { s: scheme, v: value }), secrets: [value] };
};

const names = [
  "password", "passwd", "pwd", "db_password", "DB_PASSWORD", "dbPassword", "userPassword", "root_password", "MYSQL_ROOT_PASSWORD", "POSTGRES_PASSWORD", "Password",
  "PASSWORD", "adminPassword", "smtp_password", "redis.password", "spring.datasource.password", "keystore-password", "old_password", "newPassword",
  "secret", "client_secret", "clientSecret", "CLIENT_SECRET", "app_secret", "jwt_secret", "JWT_SECRET", "webhook_secret", "sharedSecret", "SESSION_SECRET",
  "cookie-secret", "consumer_secret", "secret_key", "SECRET_KEY", "secretKey", "access_key", "aws_secret_access_key", "api_secret",
  "api_key", "apiKey", "API_KEY", "apikey", "x-api-key", "X-Api-Key", "MAPS_API_KEY", "openai_api_key", "weatherApiKey", "token", "TOKEN", "access_token",
  "accessToken", "auth_token", "authToken", "refresh_token", "refreshToken", "bot_token", "GITLAB_TOKEN", "deployToken", "X-Auth-Token", "csrf_token", "passphrase",
];
const assignedValue: Make = (random) => weighted<Make>(random,
  [[10, password], [3, () => chars(random, "0123456789abcdef", random.pick([32, 40, 64]))], [3, () => mixed(random, between(random, 20, 48))], [1, uuid],
  [1, () => mixed(random, between(random, 250, 3_000))], [1, () => fill(random, "«%z1»«%d7-11»")], [1, () => unpadded(bytes(random, 33).toString("base64url"))], [1, () => `ключ${between(random, 1000, 9999)}ß`]])(random);
const assignments = [
  "«n»=«v»", "«n»=\"«v»\"", "«n»='«v»'", "«n» = «v»", "«n» = \"«v»\"", "«n»: «v»", "«n»: \"«v»\"", "«n»: '«v»'", "\"«n»\":\"«v»\"", "\"«n»\": \"«v»\",",
  "{\"user\":\"«user»\",\"«n»\":\"«v»\"}", "{\n  \"host\": \"«host»\",\n  \"«n»\": \"«v»\"\n}", "{'«n»': '«v»'}", "{ «n»: '«v»', port: «port» }", "«n» := \"«v»\"",
  "'«n»' => '«v»',", ":«n» => \"«v»\"",
  "export «n»=«v»", "export «n»='«v»'", "set «n»=«v»\r\n", "$env:«n» = \"«v»\"", "«n»=«v» ./start.sh", "docker run -e «n»=«v» img:«semver»",
  "helm upgrade r c --set «n»=«v»", "tool --«n»=«v» --verbose", "tool --«n» «v»", "ENV «n»=«v»", "ARG «n»=«v»", "const «n» = \"«v»\";", "let «n» = '«v»';",
  "var «n» = `«v»`;", "String «n» = \"«v»\";", "private static final String «n» = \"«v»\";",
  "val «n» = \"«v»\"", "«n»: str = \"«v»\"", "$«n» = '«v»';", "static let «n» = \"«v»\"", "const «n»: string = '«v»';", "string «n» = @\"«v»\";",
  "char *«n» = \"«v»\";", "pub const «n»: &str = \"«v»\";", "connect(host=\"«host»\", «n»=\"«v»\")", "self.«n» = '«v»'", "config[\"«n»\"] = \"«v»\"",
  "config['«n»'] = '«v»'", "os.environ[\"«n»\"] = \"«v»\"", "define('«n»', '«v»');",
  "<«n»>«v»</«n»>", "<add key=\"«n»\" value=\"«v»\"/>", "<property name=\"«n»\" value=\"«v»\"/>", "<input name=\"«n»\" value=\"«v»\">",
  "https://«host»/v1?«n»=«v»&page=«small»", "POST /login\r\n\r\nuser=«user»&«n»=«v»", "curl -d 'user=«user»&«n»=«v»' https://«host»",
  "curl -H '«n»: «v»' https://«host»", "curl -d '{\"«n»\":\"«v»\"}' https://«host»", "«n»: «v»\r\nAccept: */*\r\n",
  "Server=«host»;Database=«word»;User Id=«user»;Password=«v»;Encrypt=true", "Host=«host»;Username=«user»;Password=«v»",
  "Data Source=«host»;Initial Catalog=«word»;User ID=sa;Pwd=«v»;", "host=«host» user=«user» password=«v» dbname=«word»",
  "jdbc:postgresql://«host»/«word»?user=«user»&password=«v»", "jdbc:sqlserver://«host»:1433;user=sa;password=«v»;", "PGPASSWORD=«v» psql -h «host»",
  "Driver={ODBC Driver 18};Server=«host»;Uid=«user»;Pwd=«v»;", "[client]\nuser=«user»\npassword=«v»\n", "app:\n  «n»: «v»\n  debug: true", "app:\n  - «n»: \"«v»\"",
  "[app]\n«n» = \"«v»\"", "variable \"x\" {\n  «n» = \"«v»\"\n}", "# «n»=«v»", "// «n»: \"«v»\"", "-- «n» = '«v»'", "; «n»=«v»", "«stamp» «level» «n»=«v» user=«user»",
  "«stamp» DEBUG config {«n»=«v», port=«port»}", "level=debug «n»=\"«v»\"", "Login: «user»\nPassword: «v»", "user: «user» / password: «v»", "The password is: «v»",
  "«first»: password: «v»\n«last»: thx", "Hi «first»,\n\nUser: «user»\nPassword: «v»\n\nBest", "Zugang: «user», password: «v»", "Доступ: «user», password: «v»",
  "登录 «user»,password:«v»",
  "Accès : «user», «n» = «v»", "diff --git a/x b/x\n-«n»=\n+«n»=«v»", "«file»:«small»:«n» = \"«v»\"", "{\\\"«n»\\\":\\\"«v»\\\"}",
  "{\"body\":\"{\\\"«n»\\\":\\\"«v»\\\"}\"}", "ALTER USER «user» SET «n» = '«v»';", "CREATE USER «user» WITH PASSWORD '«v»';",
  "machine «host» login «user» password «v»", "- name: DB_PASSWORD\n  value: \"«v»\"", "{\"name\":\"API_KEY\",\"value\":\"«v»\"}",
  "KeyError: invalid {'«n»': '«v»'}", "Error: login failed («n»=«v»)\n    at main («file»:«small»:1)", "User(name='«first»', «n»='«v»')",
  "Config{Host: \"«host»\", «n»: \"«v»\"}", "echo \"«n»=«v»\" >> .env", "A=1\n«n»=«v»\nB=2", "«n»=«v» # «date»", "«n» ?= «v»", "«n» = '«v»' if debug else None",
  "«n» == \"«v»\"",
];
const plainName = (random: Random): string => random.pick(names.filter((name) => /^\w+$/u.test(name)));
export const assignmentPositive: Maker = (random) => {
  const template = random.pick(assignments);
  // Names with dots and hyphens are no names in code.
  const free = /^(?:«n»[=:] ?"?«v»|"«n»)/u.test(template);
  const name = free ? random.pick(names) : plainName(random);
  const drawn = assignedValue(random);
  // A number behind a name such as `token` may well be a count.
  const value = /^\d+$/u.test(drawn) && !/pass|pwd/iu.test(name) ? password(random) : drawn;
  return { text: fill(random, template, { n: name, v: value }), secrets: [value] };
};

export const entropyPositive: Maker = (random) => around(random, tokenContexts, weighted<Make>(random, [
  [12, () => mixed(random, between(random, 32, 64))], [4, () => mixed(random, between(random, 65, 200))], [2, () => mixed(random, between(random, 24, 31))],
  [2, () => mixed(random, 43, `${base62}-_`)], [2, () => mixed(random, 43, `${base62}+/`)],
])(random));

/** What is encoded: a text of a kind that is found in the clear. */
const inner: Maker = (random) => {
  const word = password(random);
  const token = providerToken(random);
  const signed = jwt(random);
  const key = keyIn(random, { label: "EC PRIVATE KEY", head: "", start: "MHcCAQEEI", size: 121, tail: "=" }, inLines(chars(random, `${base62}+/`, 150), 64, "\n"));
  return weighted<() => Piece>(random, [
    [4, () => ({ text: fill(random, random.pick(["password=«v»", "DB_PASSWORD=«v»\nDB_HOST=«host»\n", "{\"user\":\"«user»\",\"password\":\"«v»\"}",
    "client_secret: «v»", "api_key=\"«v»\"", "user=«user»&password=«v»", "[db]\npassword = «v»\n", "{\"apiKey\":\"«v»\",\"region\":\"eu\"}",
    "env:\n  API_TOKEN: «v»\n"]), { v: word }), secrets: [word] })],
    [4, () => ({ text: token, secrets: [token] })],
    [2, () => ({ text: fill(random, random.pick(["key «v» for «first»", "{\"v\":\"«v»\"}", "X=«v»\n"]), { v: token }), secrets: [token] })],
    [1, () => ({ text: signed, secrets: [signed] })],
    [3, () => ({ text: fill(random, random.pick(["postgres://«user»:«v»@«host»:5432/«word»", "{\"url\":\"mysql://«user»:«v»@«host»/«word»\"}",
    "redis://:«v»@«host»:6379/0"]), { v: word }), secrets: [word] })],
    [1, () => ({ text: fill(random, "Authorization: Bearer «v»", { v: token }), secrets: [token] })], [1, () => key],
  ])();
};
const percent = (text: string): string => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const unicode = (text: string): string => [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const encodings: readonly (readonly [number, (text: string) => string])[] = [
  [5, base64], [4, (text) => unpadded(base64(text))], [4, base64url], [4, hexOf], [2, (text) => hexOf(text).toUpperCase()], [3, percent],
  [2, (text) => percent(text).toUpperCase()], [3, unicode], [2, (text) => base64(base64(text))], [1, (text) => hexOf(base64(text))], [1, (text) => base64(hexOf(text))],
  [1, (text) => percent(base64(text))],
];
const encodedContexts = [
  "echo «v» | base64 -d", "data:text/plain;base64,«v»", "apiVersion: v1\nkind: Secret\ndata:\n  config: «v»\n", "{\"data\":{\".env\":\"«v»\"}}", "user_data = \"«v»\"",
  "\"payload\": \"«v»\",", "atob('«v»')", "Buffer.from(\"«v»\", x)", "base64.b64decode(\"«v»\")", "bytes.fromhex('«v»')", "decodeURIComponent(\"«v»\")",
  "?state=«v»&x=1", "xxd -r -p <<< «v»",
  "X-Payload: «v»", "blob «v» saved", "SET @x = '«v»';", "Content-Transfer-Encoding: base64\r\n\r\n«v»\r\n", "kubectl get secret x -o jsonpath → «v»",
  "dockerconfigjson: «v»",
];
/** Signs that JSON or a URL escapes around a secret, which stays where it stands. */
function escapedAround(random: Random): Piece {
  const word = `${password(random).replace(/[^a-zA-Z0-9_-]/gu, "x")}7`;
  const token = providerToken(random);
  const text = random.pick([
    () => JSON.stringify({ body: JSON.stringify({ user: "app", password: word }) }), () => JSON.stringify(JSON.stringify(JSON.stringify({ apiKey: word }))),
    () => encodeURIComponent(JSON.stringify({ client_secret: word })),
    () => `https://example.com/cb?next=${encodeURIComponent(`https://example.com/?api_key=${word}&n=1`)}`,
    () => `u=${encodeURIComponent(`postgres://app:${word}@db.internal:5432/shop`)}`, () => `{"url":"postgres:\\/\\/app:${word}@db.internal\\/shop"}`,
    () => `{"line":"DB_PASSWORD=${word}\\nDB_HOST=db\\n"}`, () => `{"h":"\\u0022password\\u0022:\\u0022${word}\\u0022"}`,
    () => `body=${encodeURIComponent(`{"password":"${word}"}`)}&sig=1`,
    () => `redirect=${encodeURIComponent(encodeURIComponent(`https://app:${word}@files.example/x`))}`,
    () => `GET /log?m=${encodeURIComponent(`password=${word}`)} HTTP/1.1`,
  ])();
  return chance(random, 80) ? { text, secrets: [word] } : { text: `${JSON.stringify({ a: JSON.stringify({ v: token }) })}`, secrets: [token] };
}
export const encodedPositive: Maker = (random) => {
  if (chance(random, 22)) return escapedAround(random);
  const piece = inner(random);
  const encoded = weighted(random, encodings)(piece.text);
  if (/^[\w+/-]{100,}=*$/u.test(encoded) && chance(random, 30)) {
    const lines = inLines(unpadded(encoded), random.pick([60, 64, 76]), random.pick(["\n", "\r\n"]));
    return { text: fill(random, random.pick(["«v»\n", "base64 .env\n«v»\n$ ", "{\"content\": \"«v»\"}", "<data>«v»</data>"]), { v: lines }), secrets: [lines] };
  }
  return around(random, chance(random, 45) ? encodedContexts : tokenContexts, encoded, unpadded(encoded));
};
