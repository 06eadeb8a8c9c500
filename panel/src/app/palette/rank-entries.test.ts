/**
 * Protects: the command palette finds by name, by other words and in the wrong keyboard layout, and
 * what fits best stands first, so that Enter goes where was meant.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inOtherLayout } from "./other-layout.ts";
import { rankEntries, rankOf, type Findable } from "./rank-entries.ts";

const entry = (label: string, ...also: string[]): Findable => ({ label, also });

function labelsFor(
  typed: string,
  ...groups: readonly (readonly Findable[])[]
): readonly (readonly string[])[] {
  return rankEntries(
    typed,
    groups.map((items, at) => ({ name: `${at}`, items })),
  ).map(({ items }) => items.map(({ label }) => label));
}

test("a whole name before its beginning, that before a word's, that before what is within", () => {
  const keys = ["my keys", "monkeys", "keys of the shop", "keys"].map((label) => entry(label));
  assert.deepEqual(labelsFor("keys", keys), [["keys", "keys of the shop", "my keys", "monkeys"]]);
});

test("each word may stand anywhere, also among the other words of an entry", () => {
  const billing = entry("Баланс и платежи", "Billing");
  assert.notEqual(rankOf("платежи баланс", billing), null);
  assert.notEqual(rankOf("bill", billing), null);
  assert.equal(rankOf("баланс чужой", billing), null);
});

test("letters of either size, several spaces, and е for ё", () => {
  assert.equal(rankOf("  ПЛАТЁЖ  мой ", entry("платеж мой")), 0);
});

test("what was typed in the other layout is found, behind what was typed as it stands", () => {
  assert.equal(inOtherLayout("pfghjcs"), "запросы");
  assert.equal(inOtherLayout("луны"), "keys");
  assert.notEqual(rankOf("pfghjcs", entry("Запросы")), null);
  assert.notEqual(rankOf("ьщвуды", entry("Models")), null);
  assert.deepEqual(labelsFor("keys", [entry("лунывсе")], [entry("keys")]), [["keys"], ["лунывсе"]]);
});

test("what the server found stays, by whatever it was found, in its order and behind what fits here", () => {
  const [byMail, byName] = ["ООО Ромашка", "Anna"].map((label) => ({
    ...entry(label),
    found: true,
  }));
  assert.ok(byMail !== undefined && byName !== undefined);
  assert.deepEqual(labelsFor("anna", [byMail, byName], [entry("Annals")]), [
    ["Annals"],
    ["ООО Ромашка", "Anna"],
  ]);
});

test("the group with the best fit is first, groups without any are left out", () => {
  assert.deepEqual(labelsFor("x", [entry("a x")], [entry("b")], [entry("x")]), [["x"], ["a x"]]);
});

test("of many that fit a few are shown, and all while nothing is typed", () => {
  const many = Array.from({ length: 20 }, (_, at) => entry(`key ${at}`));
  assert.equal(labelsFor("key", many)[0]?.length, 6);
  assert.equal(labelsFor(" ", many)[0]?.length, 20);
});
