/** What a frame is, as far as order goes. */
export type FrameKind = "request" | "notification" | "response";

/** A frame's place in line. */
export interface Place {
  /** Leaves the line; `action` runs at once or as soon as nothing before it holds it. Only the first call counts. */
  release(action?: () => void): void;
}

/**
 * The order of one lane in one direction. Frames are judged side by side, but go on in the order in which they came: a held frame
 * holds the later ones. A response is the exception: it passes a held request, and what waits behind that. A chain may have to ask the
 * peer before it can judge the request (an approval, say), and the peer's answer would otherwise wait behind it for ever.
 */
export interface Lane {
  /** Whether no frame is in line, held or waiting. A method: a getter on an object literal costs more than the rest of the lane, 1 µs. */
  isEmpty(): boolean;
  enter(kind: FrameKind): Place;
}

interface Slot {
  readonly kind: FrameKind;
  ready: boolean;
  action: (() => void) | undefined;
}

export function createLane(): Lane {
  let slots: Slot[] = [];

  const advance = () => {
    const rest: Slot[] = [];
    const due: (() => void)[] = [];
    let judging = false;
    for (const slot of slots) {
      if (slot.ready && (slot.kind === "response" ? !judging : rest.length === 0)) {
        if (slot.action !== undefined) due.push(slot.action);
        continue;
      }
      rest.push(slot);
      if (!slot.ready && slot.kind !== "request") judging = true;
    }
    slots = rest;
    for (const action of due) action();
  };

  return {
    isEmpty: () => slots.length === 0,
    enter(kind) {
      const slot: Slot = { kind, ready: false, action: undefined };
      slots.push(slot);
      return {
        release(action) {
          if (slot.ready) return;
          slot.ready = true;
          slot.action = action;
          advance();
        },
      };
    },
  };
}
