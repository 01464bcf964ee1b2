/** What a frame is, as far as order goes. */
export type FrameKind = "request" | "notification" | "response";

/** A frame's place in line. */
export interface Place {
  /** Leaves the line; `action` runs at once or as soon as nothing before it holds it. Only the first call counts. */
  release(action?: () => void): void;
}

/**
 * The order of one lane in one direction. Frames are judged side by side, but go on in the order in which they came: a held frame
 * holds the later ones. A response is the exception: it passes a held request. A chain may have to ask the peer before it can
 * judge that request (an approval, say), and the peer's answer would otherwise wait behind it for ever.
 */
export interface Lane {
  /** Frames in line, held or waiting. */
  readonly length: number;
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
    let blockedByRequest = false;
    let blockedByOther = false;
    const due: (() => void)[] = [];
    for (const slot of slots) {
      const held = blockedByOther || (blockedByRequest && slot.kind !== "response");
      if (slot.ready && !held) {
        if (slot.action !== undefined) due.push(slot.action);
        continue;
      }
      rest.push(slot);
      // What waits keeps its successors waiting as what is held does.
      if (slot.kind === "request") blockedByRequest = true;
      else blockedByOther = true;
    }
    slots = rest;
    for (const action of due) action();
  };

  return {
    get length() {
      return slots.length;
    },
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
