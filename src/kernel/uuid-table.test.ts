/** Protects: what is put in under a UUID is found by it until it is taken out, and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { UuidTable, type Tabled } from "./uuid-table.ts";

interface Item extends Tabled<Item> {
  readonly id: string;
  readonly value: number;
}

test("it holds what a Map would, whatever comes and goes", () => {
  // Few ids, of which some share a bucket.
  const id = fc
    .integer({ min: 0, max: 30 })
    .map(
      (number) =>
        `01890a5d-ac96-774b-bcce-${String(number % 10).padStart(9, "0")}${number > 15 ? "ABC" : "abc"}`,
    );
  const step = fc.record({ id, act: fc.constantFrom("set", "delete", "clear"), value: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const table = new UuidTable<Item>((item) => item.id);
      const model = new Map<string, Item>();
      for (const { id: key, act, value } of steps) {
        const item: Item = { id: key, value, next: null };
        if (act === "set") {
          table.set(item);
          model.set(key, item);
        } else if (act === "delete") {
          assert.equal(table.delete(key), model.get(key));
          model.delete(key);
        } else if (value % 10 === 0) {
          table.clear();
          model.clear();
        }
        assert.equal(table.size, model.size);
        assert.equal(table.get(key), model.get(key));
      }
      assert.deepEqual(new Set(table.values()), new Set(model.values()));
    }),
  );
});
