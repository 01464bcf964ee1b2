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
  return new OwnLinkedList();
}

// A class for its getter, see `createQueue`.
class OwnLinkedList<T> implements LinkedList<T> {
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): Node<T> {
    const node: Node<T> = { item, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
    this.#size++;
    return node;
  }

  remove(node: Node<T>): void {
    if (node.item === undefined) return;
    if (node.before === undefined) this.#first = node.after;
    else node.before.after = node.after;
    if (node.after === undefined) this.#last = node.before;
    else node.after.before = node.before;
    node.item = undefined;
    node.before = undefined;
    node.after = undefined;
    this.#size--;
  }

  [Symbol.iterator](): IterableIterator<T> {
    const items: T[] = [];
    for (let node = this.#first; node !== undefined; node = node.after) if (node.item !== undefined) items.push(node.item);
    return items.values();
  }
}
