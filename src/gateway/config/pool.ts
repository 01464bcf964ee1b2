/** Something that several plans may hold at once: what two plans have in common is opened once, and ends with the last of them. */
export interface Pool<T> {
  /** What stands under the key, or what `open` makes. Rejects with what `open` rejects with; the next one asks anew then. */
  acquire(key: string, open: () => Promise<Opened<T>>): Promise<Lease<T>>;
  readonly size: number;
}

export interface Opened<T> {
  readonly value: T;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface Lease<T> {
  readonly value: T;
  /** Idempotent. */
  release(): Promise<void>;
}

export function createPool<T>(): Pool<T> {
  const open = new Map<string, { readonly opening: Promise<Opened<T>>; holders: number }>();

  return {
    async acquire(key, make) {
      let held = open.get(key);
      if (held === undefined) open.set(key, (held = { opening: make(), holders: 0 }));
      const mine = held;
      mine.holders++;
      let released = false;
      const release = async () => {
        if (released) return;
        released = true;
        if (--mine.holders > 0) return;
        if (open.get(key) === mine) open.delete(key);
        const { close } = await mine.opening;
        await close();
      };
      try {
        const { value } = await mine.opening;
        return { value, release };
      } catch (thrown) {
        if (open.get(key) === mine) open.delete(key);
        throw thrown;
      }
    },
    get size() {
      return open.size;
    },
  };
}
