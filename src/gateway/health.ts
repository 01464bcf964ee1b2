import { createHostCheck, isLoopback, loopbackHosts } from "../core/http/host-check.ts";
import type { HttpHandler, HttpResponse } from "../core/http/exchange.ts";
import { checkOptions, pickOptions, type OptionTable } from "../core/base/options.ts";
import { isThenable } from "../core/base/thenable.ts";
import { HANDLER_OPTIONS, listenHandler, type HandlerOptions, type HandlerServer } from "../node/http-handler.ts";
import { METRICS_TYPE } from "./metrics-text.ts";

/** What is served to those who operate a process: readiness and metrics. */
export interface OpsOptions {
  /** What keeps this process from taking calls, in a few words each: none, and it is ready. Default: nothing does. */
  ready?(): readonly string[] | Promise<readonly string[]>;
  /** The text of `/metrics`; of all workers, where there are several. Without it there is no such path. */
  metrics?(): string | Promise<string>;
  /**
   * Names that requests may be for, as for `listenHttp`. Default of a listener that this machine alone reaches: its names, as a page may have its own name lead
   * here. Otherwise `any`: probes and scrapers call a process by its address.
   */
  readonly allowedHosts?: readonly string[] | "any";
}

const OPTIONS: OptionTable<OpsOptions> = { ready: "a function", metrics: "a function", allowedHosts: "any" };

/**
 * `/healthz`: 200 as long as the process answers at all. `/readyz`: 200 when it takes calls, else 503 and why. `/metrics`: for Prometheus. All for GET and HEAD, for
 * a listener of their own that only the operator reaches: nobody is asked who he is. A page in a browser gets none of it.
 */
export function opsHandler(options: OpsOptions): HttpHandler {
  checkOptions(options, "the options of an operator's handler", OPTIONS);
  const { ready = () => [], metrics, allowedHosts = "any" } = options;
  const check = createHostCheck({ allowedHosts });
  const answer = async (path: string): Promise<HttpResponse> => {
    if (path === "/healthz") return plain(200, "ok\n");
    if (path === "/readyz") {
      const told = ready();
      const why = isThenable(told) ? await told : told;
      return why.length === 0 ? plain(200, "ready\n") : plain(503, `${why.map((line) => line.replace(/\s+/g, " ")).join("\n")}\n`);
    }
    if (path !== "/metrics" || metrics === undefined) return plain(404, "There is nothing here\n");
    const text = metrics();
    return plain(200, isThenable(text) ? await text : text, METRICS_TYPE);
  };
  return async ({ method, path, headers }) => {
    // A browser says of a page's requests where they come from, of its own none.
    const refusal = check.refusal(headers) ?? (headers.has("origin") ? "pages have no business here" : undefined);
    if (refusal !== undefined) return plain(403, `${refusal}\n`);
    if (method !== "GET" && method !== "HEAD") return { status: 405, headers: [["allow", "GET, HEAD"]] };
    try {
      const { body, ...head } = await answer(path);
      return method === "HEAD" || body === undefined ? head : { ...head, body };
    } catch {
      // What the owner's function throws is no business of who asks.
      return plain(500, "It could not be told\n");
    }
  };
}

/** Serves {@link opsHandler} on a port of its own; only this machine reaches it unless `host` says otherwise. */
export function listenOps(options: OpsOptions & HandlerOptions): Promise<HandlerServer> {
  checkOptions(options, "the options of listenOps", { ...OPTIONS, ...HANDLER_OPTIONS });
  const { host = "127.0.0.1", allowedHosts = isLoopback(host) ? loopbackHosts(host) : "any" } = options;
  return listenHandler(opsHandler({ ...pickOptions(options, OPTIONS), allowedHosts }), pickOptions(options, HANDLER_OPTIONS));
}

function plain(status: number, body: string, type = "text/plain; charset=utf-8"): HttpResponse {
  return { status, headers: [["content-type", type], ["cache-control", "no-store"]], body };
}
