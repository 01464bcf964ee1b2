import type { Host } from "../../src/core/base/host.ts";
import { fakeHost, type FakeHost } from "../support/fake-host.ts";

export interface SeenPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly redirect: string;
  readonly signal: AbortSignal;
}

/** A host whose `fetch` is a service of this test: each answer is a value (sent as JSON), a `Response`, or what it throws. */
export function serviceDouble(answer: (post: SeenPost) => unknown): { readonly host: FakeHost; readonly seen: SeenPost[] } {
  const seen: SeenPost[] = [];
  const fetch = async (url: string, init: Omit<SeenPost, "url">) => {
    const post = { url, ...init };
    seen.push(post);
    const answered = await answer(post);
    return answered instanceof Response ? answered : Response.json(answered);
  };
  return { host: { ...fakeHost(), fetch: fetch as unknown as NonNullable<Host["fetch"]> }, seen };
}
