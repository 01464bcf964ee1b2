/** A place in a list. Owned by whoever added it. */
export interface Node<T> {
  item: T | undefined;
  before: Node<T> | undefined;
  after: Node<T> | undefined;
}

/**
 * Items that come and go fast, in the order of their coming. In place of a `Set` or `Map` for what lives as long as one request: V8 rebuilds
 * the table of those every few dozen additions, and the one left behind, once it is old, keeps all that was in it past every minor collection.
 */
export interface LinkedList<T> extends Iterable<T> {
  readonly size: number;
  add(item: T): Node<T>;
  /** Idempotent. An iteration that is under way still gives it: each goes over the items of its start. */
  remove(node: Node<T>): void;
}

export function createLinkedList<T>(): LinkedList<T> {
  let first: Node<T> | undefined;
  let last: Node<T> | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(item) {
      const node: Node<T> = { item, before: last, after: undefined };
      if (last === undefined) first = node;
      else last.after = node;
      last = node;
      size++;
      return node;
    },
    remove(node) {
      if (node.item === undefined) return;
      if (node.before === undefined) first = node.after;
      else node.before.after = node.after;
      if (node.after === undefined) last = node.before;
      else node.after.before = node.before;
      node.item = undefined;
      node.before = undefined;
      node.after = undefined;
      size--;
    },
    [Symbol.iterator]() {
      const items: T[] = [];
      for (let node = first; node !== undefined; node = node.after) if (node.item !== undefined) items.push(node.item);
      return items.values();
    },
  };
}
