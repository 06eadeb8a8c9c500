/**
 * Items of the newest answers that were not asked for with `store: false`: what a later input may
 * name by its id, or send without what is sealed in it, as with the vendor.
 */
import type { JsonObject } from "../is-object.ts";

export interface KeptItems {
  add(items: readonly (JsonObject & { readonly id: string })[]): void;
  find(id: unknown): JsonObject | null;
}

const MOST_ITEMS = 10_000;

export function createKeptItems(): KeptItems {
  const items = new Map<string, JsonObject>();
  return {
    add(added) {
      for (const item of added) items.set(item.id, item);
      for (const id of items.keys()) {
        if (items.size <= MOST_ITEMS) return;
        items.delete(id);
      }
    },
    find: (id) => (typeof id === "string" ? (items.get(id) ?? null) : null),
  };
}
