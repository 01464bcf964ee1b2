import type { Follower, Following, Slot } from "./upstream-slot.ts";

/**
 * Those who listen to all connections of one caller: they hear what is said on any of them, and each is told what they want, be it there already or made
 * later.
 */
export interface Audience {
  /** A connection more, before it is made. */
  add(slot: Slot): void;
  /** It has gone for good. */
  remove(slot: Slot): void;
  /** `asked` is one of the connections; what it agrees to counts. */
  follow(follower: Follower, asked: Slot): Following;
}

export function createAudience(): Audience {
  const slots = new Set<Slot>();
  const followings = new Map<Follower, Map<Slot, Following>>();
  return {
    add(slot) {
      slots.add(slot);
      for (const [follower, those] of followings) those.set(slot, slot.follow(follower));
    },
    remove(slot) {
      slots.delete(slot);
      for (const those of followings.values()) those.delete(slot);
    },
    follow(follower, asked) {
      const those = new Map([...slots].map((slot) => [slot, slot.follow(follower)]));
      const first = those.get(asked) ?? asked.follow(follower);
      followings.set(follower, those);
      return {
        refresh() {
          // One that does not stand is told when it is made again.
          for (const [slot, following] of those) if (slot !== asked && slot.stands) void following.refresh();
          return first.refresh();
        },
        end() {
          followings.delete(follower);
          for (const following of those.values()) following.end();
        },
      };
    },
  };
}
