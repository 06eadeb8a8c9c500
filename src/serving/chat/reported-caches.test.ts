/**
 * Protects: what is counted as cached was told so for this very beginning, by the same upstream to
 * the same key, a short while ago; and no text is kept.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../kernel/ids.ts";
import { NO_USAGE, type TokenUsage } from "../../kernel/token-usage.ts";
import { readChatRequest } from "../../protocol/openai/read-chat-request.ts";
import type { PromptBlocks } from "../../protocol/prompt-blocks.ts";
import { createReportedCaches } from "./reported-caches.ts";

const TURNS = Array.from({ length: 40 }, (_, turn) => ({
  role: "user",
  content: `${turn}: ${"слово за слово ".repeat(20)}`,
}));
const OWNER = { keyId: newUuid(), upstream: "u", model: "m" };
const USAGE: TokenUsage = {
  ...NO_USAGE,
  inputTokens: 1000,
  cachedInputTokens: 9000,
  outputTokens: 5,
};

function blocksOf(
  turns: readonly object[],
  tools: readonly string[] = ["read"],
): () => PromptBlocks {
  const body = {
    tools: tools.map((name) => ({ type: "function", function: { name } })),
    model: "m",
    messages: turns,
  };
  const reading = readChatRequest(Buffer.from(JSON.stringify(body)));
  assert.ok(reading.ok);
  return () => reading.request.promptBlocks();
}

function stage() {
  let nowMs = 0;
  const caches = createReportedCaches({ monotonicMs: () => nowMs });
  caches.remember(OWNER, USAGE, blocksOf(TURNS.slice(0, 30)));
  return { caches, pass: (ms: number) => (nowMs += ms) };
}

test("a conversation that goes on has cached what was told, and no more", () => {
  const { caches } = stage();
  assert.equal(caches.cachedTokens(OWNER, blocksOf(TURNS)), 9000);
  assert.equal(caches.cachedTokens(OWNER, blocksOf(TURNS.slice(0, 30))), 9000);
});

test("of a conversation that parts from it, only what both begin with", () => {
  const { caches } = stage();
  const half = [
    ...TURNS.slice(0, 15),
    { role: "user", content: "something else" },
    ...TURNS.slice(16),
  ];
  const shared = caches.cachedTokens(OWNER, blocksOf(half));
  assert.ok(shared > 4000 && shared <= 5000, String(shared));
  const other = TURNS.map(({ role, content }) => ({ role, content: `x${content}` }));
  assert.ok(caches.cachedTokens(OWNER, blocksOf(other)) < 500);
  assert.equal(
    caches.cachedTokens(OWNER, blocksOf(TURNS, ["read", "write"])),
    0,
    "other tools stand before all of it",
  );
});

test("nothing where it was told to another key, of another model or upstream, too long ago, or where the last answer had nothing cached", () => {
  const { caches, pass } = stage();
  const blocks = blocksOf(TURNS);
  for (const other of [{ keyId: newUuid() }, { upstream: "v" }, { model: "n" }]) {
    assert.equal(caches.cachedTokens({ ...OWNER, ...other }, blocks), 0);
  }
  pass(5 * 60_000);
  assert.equal(caches.cachedTokens(OWNER, blocks), 9000);
  pass(1);
  assert.equal(caches.cachedTokens(OWNER, blocks), 0);
  caches.remember(OWNER, USAGE, blocks);
  caches.remember(OWNER, { ...USAGE, inputTokens: 10_000, cachedInputTokens: 0 }, blocks);
  assert.equal(caches.cachedTokens(OWNER, blocks), 0);
});

test("it is bounded: the oldest is forgotten", () => {
  const { caches } = stage();
  const few = blocksOf(TURNS.slice(0, 2));
  for (let key = 0; key < 1000; key++) caches.remember({ ...OWNER, keyId: newUuid() }, USAGE, few);
  assert.equal(caches.cachedTokens(OWNER, blocksOf(TURNS)), 0);
});
