import { resolve } from "node:path";
import { describeError } from "../../core/base/errors.ts";
import { equalJson } from "../../core/base/json.ts";
import type { Authenticate } from "../../core/http/authentication.ts";
import type { HttpHandler } from "../../core/http/exchange.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { readyMade } from "../../library/catalog.ts";
import { nodeHost } from "../../node/host.ts";
import { createHttpSend } from "../../node/http-send.ts";
import { createAuthenticate, resourceMetadata, type AuthenticateOptions } from "../auth.ts";
import { DEFAULT_ALGORITHMS } from "../auth-algorithms.ts";
import { readKeySet, type KeyOrigin } from "../auth-jwks.ts";
import type { HttpFacePlan } from "../plan.ts";
import type { AuthConfig, GatewayConfig } from "./config.ts";
import type { LoadedConfig } from "./load.ts";
import type { Pool } from "./pool.ts";
import type { SectionContext } from "./section.ts";

interface AuthContext extends SectionContext {
  /** Two plans with the same demands have one check, with the keys that it knows. */
  readonly checks: Pool<Authenticate>;
  /** Nobody will ever come in by it. */
  readonly dry: boolean;
}

/** The members of the listener that say who may come in. What is wrong goes to `problems`. */
export async function authOf({ loaded, problems, checks, log, releases, before, dry }: AuthContext): Promise<Pick<HttpFacePlan, "authenticate" | "resourceMetadata" | "otherwise">> {
  const { auth } = loaded.config;
  // A listener that asks nobody cannot begin to, and one that does must not stop by a slip of the pen.
  if (before !== undefined && (before.config.auth === undefined) !== (auth === undefined)) {
    problems.add(auth === undefined ? "" : "/auth", auth === undefined ? "has no auth any more, which takes a new start of the gateway" : "was not there before, which takes a new start of the gateway", "name");
    return {};
  }
  if (before !== undefined && !equalJson(before.config.auth?.metadata, auth?.metadata)) {
    problems.add("/auth/metadata", "has changed, which takes a new start of the gateway");
    return {};
  }
  if (auth === undefined) return {};
  for (const [index, { expiresAt }] of (auth.tokens ?? []).entries()) {
    if (expiresAt !== undefined && Number.isNaN(Date.parse(expiresAt))) problems.add(`/auth/tokens/${index}/expiresAt`, "is no date that there is");
  }
  const claims = [...new Set([...[...loaded.conditions.values()].flatMap((condition) => condition.claims), ...claimsOfReadyMade(loaded.config)])].sort();
  // A file is whoever writes this one's to mend, as what it says itself. What is at a URL may be back in a moment.
  for (const { pointer, message } of await keySetFaults(loaded, "file")) problems.add(pointer, message);
  try {
    const lease = await checks.acquire(JSON.stringify([auth, claims, loaded.folder]), () => openCheck(auth, claims, loaded.folder, { log, early: !dry }));
    releases.push(lease.release);
    return { authenticate: lease.value, ...metadataOf(auth) };
  } catch (thrown) {
    problems.add("/auth", describeError(thrown));
    return {};
  }
}

function claimsOfReadyMade({ interceptors = [] }: GatewayConfig): readonly string[] {
  return interceptors.flatMap(({ use, config }) => (use === undefined ? [] : (readyMade.get(use)?.claims?.(config) ?? [])));
}

async function openCheck(auth: AuthConfig, claims: readonly string[], folder: string, { log, early }: { readonly log: Log; readonly early: boolean }) {
  const send = createHttpSend();
  try {
    const value = createAuthenticate({
      ...tokensOf(auth),
      jwt: (auth.jwt ?? []).map(({ jwks, ...issuer }) => ({
        ...issuer,
        keys: keysAt(jwks, folder),
        send,
        early: early && isUrl(jwks),
        // What conditions and ready-made interceptors ask for, they get.
        claims: [...new Set([...(issuer.claims ?? ["scope", "client_id"]), ...claims])],
      })),
      ...(auth.anonymous === undefined ? {} : { anonymous: auth.anonymous }),
      ...(auth.scopes === undefined ? {} : { scopes: auth.scopes }),
      host: nodeHost(),
      log: (message) => log({ level: "warning", message }),
    });
    return { value, close: async () => void (await send.close()) };
  } catch (thrown) {
    await send.close();
    throw thrown;
  }
}

function tokensOf({ tokens = [] }: AuthConfig): Pick<AuthenticateOptions, "tokens"> {
  return {
    tokens: tokens.map(({ token = "", sha256, expiresAt, principal }) => ({
      ...(sha256 === undefined ? { token } : { sha256 }),
      principal: { ...principal },
      ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }),
    })),
  };
}

/** Key sets at URLs that cannot be used, as lines of warnings: nobody with a token of such an issuer gets in. They are read anew once a token needs them, so that they may yet come. */
export async function keySetsAtUrls(loaded: LoadedConfig): Promise<readonly string[]> {
  return (await keySetFaults(loaded, "url")).map(({ pointer, message }) => loaded.problems().warning(pointer, message));
}

async function keySetFaults({ config, folder }: LoadedConfig, kind: "file" | "url"): Promise<readonly { readonly pointer: string; readonly message: string }[]> {
  const send = createHttpSend();
  try {
    const read = (config.auth?.jwt ?? []).map(async ({ jwks, algorithms = DEFAULT_ALGORITHMS }, index) => {
      const origin = keysAt(jwks, folder);
      if (!(kind in origin)) return [];
      try {
        await readKeySet(origin, algorithms, { send, host: nodeHost() });
        return [];
      } catch (thrown) {
        const missing = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
        return [{ pointer: `/auth/jwt/${index}/jwks`, message: `is no key set that can be used: ${"file" in origin ? `${origin.file}: ` : ""}${missing ? "there is no such file" : describeError(thrown)}; no token of this issuer is good until it is` }];
      }
    });
    return (await Promise.all(read)).flat();
  } finally {
    await send.close();
  }
}

function keysAt(jwks: string, folder: string): KeyOrigin {
  return isUrl(jwks) ? { url: jwks } : { file: resolve(folder, jwks) };
}

function isUrl(jwks: string): boolean {
  return /^https?:\/\//.test(jwks);
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

function metadataOf({ metadata }: AuthConfig): { readonly resourceMetadata?: string; readonly otherwise?: HttpHandler } {
  if (metadata === undefined) return {};
  return { resourceMetadata: `${metadata.resource.replace(/\/+$/, "")}${WELL_KNOWN}`, otherwise: resourceMetadata(metadata) };
}
