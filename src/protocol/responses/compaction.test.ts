/** A summary is text for its own account, and for no other, nor where it was changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeal } from "../../kernel/seal.ts";
import { sealText } from "../account-seal.ts";
import { compactionItem, isSummary, openCompaction } from "./compaction.ts";

const seal = createSeal("a secret of at least so many characters");
const OWNER = { seal, accountId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b" };
const STRANGER = { seal, accountId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c" };

test("what was summed up is what its account reads", () => {
  const item = compactionItem(OWNER, "cmp_1", "Blue.");
  assert.ok(!JSON.stringify(item).includes("Blue"));
  const opened = openCompaction(OWNER, item) ?? assert.fail("it opens");
  assert.match(JSON.stringify(opened), /Blue\./);
  assert.ok(isSummary(opened));
  assert.ok(!isSummary({ role: "user", content: [{ type: "input_text", text: "Blue." }] }));
});

test("another account, another purpose, another secret and a changed letter open nothing", () => {
  const item = compactionItem(OWNER, "cmp_1", "Blue.");
  const text = String(item["encrypted_content"]);
  const other = { ...OWNER, seal: createSeal("another secret of so many characters") };
  assert.equal(openCompaction(STRANGER, item), null);
  assert.equal(openCompaction(other, item), null);
  const changed = text.slice(0, -3) + (text.at(-3) === "A" ? "B" : "A") + text.slice(-2);
  const thinking = sealText(OWNER, "thinking", "Blue.");
  for (const encrypted_content of [changed, thinking, "gAAAA", "", null, 5])
    assert.equal(openCompaction(OWNER, { ...item, encrypted_content }), null);
});
