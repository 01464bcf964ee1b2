import { formatPointer, isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { invalid, readBoolean, readConfig, readPatterns, readStrings, readWhole } from "./config.ts";
import { createScanner } from "./detect/scan.ts";
import { type FormField, fieldsOf, isProperty, isSecretField } from "./elicitation-fields.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { perCall } from "./per-call.ts";
import { asksForSecret } from "./secret-words.ts";
import { createFindSecrets } from "./secrets/scan.ts";
import { firstOf } from "./strings.ts";
import { deceptiveHost } from "./uri/deceptive-host.ts";
import { compileHostPattern, notPublic, type UrlHost } from "./uri/host.ts";
import { parseUrl } from "./uri/url.ts";

/** What servers may ask users for. */
export interface ElicitationGuardConfig {
  /** Fields that a form may have; 20 unless given. */
  readonly maxFields?: number;
  /** Names of fields, or `prefix*`, that are not taken for a secret. */
  readonly fields?: readonly string[];
  /** Hosts that a URL may lead to: a name, an address, or `*.example.com`. Absent: all public ones. An empty list: no URL is allowed. */
  readonly hosts?: readonly string[];
  /** Whether answers are looked at for card and social security numbers, keys and tokens; `true` unless given. */
  readonly answers?: boolean;
}

const OWNER = "elicitation-guard";
const MAX_FIELDS = 20;

export const elicitationGuardConfigSchema: JsonObject = {
  type: "object",
  properties: {
    maxFields: { type: "integer", minimum: 0 },
    fields: patternsSchema,
    hosts: { type: "array", items: { type: "string", pattern: "^(?:\\*\\.)?[^*/@\\s]+$" } },
    answers: { type: "boolean" },
  },
  additionalProperties: false,
};

/**
 * A validator of `elicitation/create`, by which a server asks a person: forms must not ask for passwords, keys, card numbers and the like, URLs must
 * lead by https to a public or allowed host, and answers must not hold secrets. What a form asks for is told by the words of its fields and
 * message, so it is a guess. Throws `invalid_argument` for a wrong config.
 */
export function elicitationGuard(config: ElicitationGuardConfig = {}): Interceptor {
  const rulesFor = perCall(config, compileElicitationGuard);
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses forms that ask for secrets, URLs that lead to where they must not, and answers that hold secrets.",
      hooks: [
        { events: ["elicitation/create"], phase: "request" },
        { events: ["elicitation/create"], phase: "response" },
      ],
      handlesErrors: true,
      configSchema: elicitationGuardConfigSchema,
    },
    ({ payload, phase, config: called }) => {
      if (!isObject(payload)) return deny("The payload must be an object");
      const rules = rulesFor(called);
      const problem = phase === "response" ? rules.answerProblem(payload) : ownMember(payload, "mode") === "url" ? rules.urlProblem(payload) : rules.formProblem(payload);
      return problem === undefined ? allow() : deny(problem.message, { path: problem.path });
    },
  );
}

interface Problem {
  readonly message: string;
  readonly path: string;
}

interface Rules {
  formProblem(params: JsonObject): Problem | undefined;
  urlProblem(params: JsonObject): Problem | undefined;
  answerProblem(result: JsonObject): Problem | undefined;
}

const answers = createScanner(["card", "ssn"]);
const findKeys = createFindSecrets({ kinds: ["provider-token", "private-key", "jwt"] });

function compileElicitationGuard(value: unknown): Rules {
  const config = readConfig(value, ["maxFields", "fields", "hosts", "answers"], OWNER);
  const maxFields = readWhole(config, "maxFields", OWNER, 0) ?? MAX_FIELDS;
  const isHarmless = compilePatterns(readPatterns(config, "fields", OWNER) ?? []);
  const hosts = readStrings(config, "hosts", OWNER)?.map((pattern, index) => {
    const compiled = compileHostPattern(pattern);
    if (compiled === undefined) throw invalid(OWNER, `hosts[${index}]`, "must be a host, an address, or *. and a host");
    return compiled;
  });
  const checksAnswers = readBoolean(config, "answers", OWNER) ?? true;
  return {
    formProblem(params) {
      const schema = ownMember(params, "requestedSchema");
      let count = 0;
      let harmless = 0;
      const leaveOut = (name: string) => {
        if (!isHarmless(name)) return false;
        harmless++;
        return true;
      };
      let secret: FormField | undefined;
      for (const field of fieldsOf(schema, ["requestedSchema"], leaveOut)) {
        if (isProperty(field)) count++;
        if (count + harmless > maxFields) break;
        if (secret === undefined && isSecretField(field)) secret = field;
      }
      if (count + harmless > maxFields) return { message: `A form has more than ${maxFields} fields`, path: "/requestedSchema/properties" };
      if (secret !== undefined) return { message: "A form asks for a secret", path: formatPointer(secret.path) };
      if (count === 0 && harmless > 0) return undefined;
      const says = isObject(schema) ? schema : {};
      const asking = [["message", params], ["title", says], ["description", says]] as const;
      const found = asking.find(([member, holder]) => textAsks(ownMember(holder, member)));
      return found && { message: "A form asks for a secret", path: found[1] === params ? "/message" : `/requestedSchema/${found[0]}` };
    },
    urlProblem(params) {
      const problem = hostProblem(ownMember(params, "url"), hosts);
      return problem === undefined ? undefined : { message: `A URL ${problem}`, path: "/url" };
    },
    answerProblem(result) {
      if (!checksAnswers) return undefined;
      return firstOf(ownMember(result, "content"), ["content"], ({ text, member, path }) => {
        const holdsSecret = findKeys(text).length > 0 || answers.find(text).length > 0;
        // The path to a member whose name is the secret would tell it.
        return holdsSecret ? { message: "An answer holds a secret", path: member === undefined ? "/content" : path() } : undefined;
      }, { names: true, numbers: true });
    },
  };
}

function textAsks(message: unknown): boolean {
  return typeof message === "string" && asksForSecret(message);
}

function hostProblem(url: unknown, hosts: readonly ((host: UrlHost) => boolean)[] | undefined): string | undefined {
  const target = typeof url === "string" ? parseUrl(url) : undefined;
  if (target === undefined) return "cannot be read";
  if ("problem" in target) return target.problem;
  const { scheme, host } = target;
  if (host === null) return "has a scheme that is not allowed";
  if (hosts?.some((matches) => matches(host)) === true) return scheme === "https" || scheme === "http" ? undefined : "has a scheme that is not allowed";
  if (hosts !== undefined) return "leads to a host that is not allowed";
  if (scheme !== "https") return "has a scheme that is not allowed";
  const deceptive = deceptiveHost(host);
  if (deceptive !== undefined) return DECEPTIVE[deceptive];
  const what = notPublic(host);
  return what && `leads to ${what}`;
}

const DECEPTIVE = {
  unreadable: "leads to a host that cannot be read",
  mixed: "leads to a host whose name mixes scripts",
  "look-alike": "leads to a host whose name looks like another",
} as const;
