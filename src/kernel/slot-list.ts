/**
 * Things that come and go at the rate of requests, each of which knows its place. Not a Set: one
 * that is filled and emptied all the time goes through one table after another, each discarded
 * table leads to the next one and still holds what was in it, and so the short-lived things outlive
 * their collections: measured 7 kB a request, and pauses twice as long.
 */

/** Something that can be in one slot list. */
export interface Slotted {
  /** Where it is; the slot list's own, -1 outside. */
  slot: number;
}

export class SlotList<T extends Slotted> {
  private readonly items: T[] = [];

  get size(): number {
    return this.items.length;
  }

  add(item: T): void {
    item.slot = this.items.length;
    this.items.push(item);
  }

  /** Nothing happens where it is in no slot list. */
  delete(item: T): void {
    const { slot } = item;
    if (slot < 0) return;
    const last = this.items.pop();
    if (last !== undefined && last !== item) {
      this.items[slot] = last;
      last.slot = slot;
    }
    item.slot = -1;
  }

  /**
   * In no order. Those that `visit` takes out meanwhile may be missed, those that it adds too; the
   * others are not, though some may come twice.
   */
  forEach(visit: (item: T) => void): void {
    for (let at = this.items.length - 1; at >= 0; at--) {
      const item = this.items[at];
      if (item !== undefined) visit(item);
    }
  }
}
