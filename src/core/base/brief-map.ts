/**
 * A map for what lives as long as one request, by a key of somebody else's choice. A `Map` of V8 makes itself a new table every few dozen additions,
 * and the one left behind, once it is old, keeps all that was in it past every minor collection (see `createLinkedList`, for what needs no key). Here
 * the table holds a box for each item, which removal empties. Nothing is made before the first item, as many a connection has none.
 */
export class BriefMap<Key, Item> {
  #boxes: Map<Key, { item: Item | undefined }> | undefined;

  get size(): number {
    return this.#boxes === undefined ? 0 : this.#boxes.size;
  }

  get(key: Key): Item | undefined {
    return this.#boxes?.get(key)?.item;
  }

  has(key: Key): boolean {
    return this.#boxes?.has(key) === true;
  }

  set(key: Key, item: Item): void {
    this.delete(key);
    (this.#boxes ??= new Map()).set(key, { item });
  }

  /** Gives what was there. */
  delete(key: Key): Item | undefined {
    const box = this.#boxes?.get(key);
    if (box === undefined) return undefined;
    this.#boxes?.delete(key);
    const { item } = box;
    box.item = undefined;
    return item;
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  /** As they are now: what comes or goes later does not change it. */
  keys(): Key[] {
    return this.#boxes === undefined ? [] : [...this.#boxes.keys()];
  }

  values(): Item[] {
    const items: Item[] = [];
    if (this.#boxes !== undefined) for (const { item } of this.#boxes.values()) if (item !== undefined) items.push(item);
    return items;
  }
}
