/**
 * Protects: what a factor is proposed from is text alone, all of it seen, and costs each route one
 * count in five minutes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../kernel/ids.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { CountSample } from "../../usage/count-samples.store.ts";
import type { ChatRun } from "./chat-run.ts";
import type { FinalCharge } from "./final-charge.ts";
import { createCountSampler } from "./sample-counts.ts";

const ROUTE = { upstream: "u", model: "m" };
const USAGE = { ...NO_USAGE, inputTokens: 60, cachedInputTokens: 40, outputTokens: 90 };

function answeredBy(route: object): object {
  return { kind: "ended", answer: { route } };
}

function runOf(fields: object = {}, request: object = {}): ChatRun {
  const asked = {
    images: 0,
    raises: [],
    overheadTokens: 4,
    promptTexts: () => ["ab", "cd"],
    ...request,
  };
  return {
    request: asked,
    phase: answeredBy(ROUTE),
    call: { requestId: newUuid() },
    goneAtMs: null,
    ...fields,
  } as unknown as ChatRun;
}

function chargeOf(fields: object = {}): FinalCharge {
  return { usage: USAGE, usageSource: "upstream", ...fields } as FinalCharge;
}

function stage() {
  const saved: CountSample[] = [];
  let nowMs = 0;
  const sample = createCountSampler({
    clock: { monotonicMs: () => nowMs },
    countTexts: async (texts) => [...texts].join("").length,
    save: async (one) => void saved.push(one),
    onError: (error) => assert.fail(String(error)),
  });
  const offer = async (run: ChatRun, charge = chargeOf()): Promise<number> => {
    sample(run, charge, { anything: true, text: "abcdefg" });
    await new Promise((resolve) => setImmediate(resolve));
    return saved.length;
  };
  return { offer, saved, pass: (ms: number) => (nowMs += ms) };
}

test("told and counted of both sides are saved, and nothing else; the next of the route after five minutes", async () => {
  const { offer, saved, pass } = stage();
  assert.equal(await offer(runOf()), 1);
  const [first] = saved;
  assert.deepEqual(
    { ...first, requestId: "" },
    {
      requestId: "",
      ...ROUTE,
      countedInput: 8,
      reportedInput: 100,
      countedOutput: 7,
      reportedOutput: 90,
    },
  );
  assert.equal(await offer(runOf()), 1);
  assert.equal(await offer(runOf({ phase: answeredBy({ upstream: "u", model: "other" }) })), 2);
  pass(5 * 60_000);
  assert.equal(await offer(runOf()), 3);
});

test("what was not all seen as text is not sampled", async () => {
  const { offer } = stage();
  const tool = { kind: "tool", param: "tools[0]", tool: "web_search", maxUses: null };
  for (const run of [
    runOf({ phase: { kind: "ended", answer: null } }),
    runOf({ goneAtMs: 5 }),
    runOf({}, { images: 1 }),
    runOf({}, { raises: [tool] }),
  ]) {
    assert.equal(await offer(run), 0);
  }
  const media = { audioInput: 1, imageInput: 0, audioOutput: 0, imageOutput: 0 };
  for (const usage of [
    { reasoningTokens: 3 },
    { media },
    { outputTokens: 49 },
    { inputTokens: 5 },
  ]) {
    assert.equal(
      await offer(runOf(), chargeOf({ usage: { ...USAGE, ...usage } })),
      0,
      JSON.stringify(usage),
    );
  }
  assert.equal(await offer(runOf(), chargeOf({ usageSource: "counted" })), 0);
  assert.equal(
    await offer(runOf({}, { raises: [{ kind: "cacheWrite", param: "system", life: "5m" }] })),
    1,
  );
});
