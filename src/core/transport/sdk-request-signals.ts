import type { SignalLike } from "../base/signal.ts";
import type { Message, RequestId } from "../wire/message.ts";

/** The signals of requests in flight, each of which cancels one. */
interface RequestSignals {
  /** From here on an abort is a cancellation of this request. */
  watch(id: RequestId, signal: SignalLike | undefined): void;
  /** Its answer has come. */
  release(id: RequestId | null | undefined): void;
  clear(): void;
}

/** `cancel` gets the notification that an abort amounts to. What it rejects with is dropped: the request's own stream is closed already. */
export function createRequestSignals(cancel: (message: Message) => Promise<void>): RequestSignals {
  const unlink = new Map<RequestId, () => void>();

  const release = (id: RequestId | null | undefined) => {
    if (id === undefined || id === null) return;
    unlink.get(id)?.();
    unlink.delete(id);
  };

  return {
    watch(id, signal) {
      if (signal === undefined || signal.aborted) return;
      release(id);
      const onAbort = () => {
        release(id);
        cancel({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }).catch(() => {});
      };
      signal.addEventListener("abort", onAbort);
      unlink.set(id, () => signal.removeEventListener("abort", onAbort));
    },
    release,
    clear() {
      for (const off of unlink.values()) off();
      unlink.clear();
    },
  };
}
