/**
 * Guarantee: an answer that is made before its settlement is decided leaves only behind the verdict,
 * and only where the verdict is the one that it was made for.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chatCall } from "../../../test/support/chat-call.ts";
import { admittedChat } from "../../../test/support/chat-run.ts";
import type { Nano } from "../../kernel/money.ts";
import { NOTHING_USED } from "../../kernel/price-raises.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { SettleVerdict } from "../../ledger/hold-verdicts.ts";
import { promisedEnd, type ChatCall } from "./chat-call.ts";
import type { ChatOutcome } from "./chat-outcome.ts";
import { createRunFinish } from "./finish-run.ts";

/** It costs 300 nano-roubles. */
const USAGE = { ...NO_USAGE, inputTokens: 10, outputTokens: 20 };
const BODY = Buffer.from("the answer");

interface Given {
  readonly cost: string | undefined;
  /** It is what was prepared. */
  readonly prepared: boolean;
}

async function answered(verdict: SettleVerdict, canPrepare = true) {
  const events: string[] = [];
  let made: Readonly<Record<string, string>> | null = null;
  let given: Given | null = null;
  const plain = chatCall();
  const reply: ChatCall["reply"] = {
    ...plain.reply,
    json(_status, headers) {
      events.push("given");
      process.nextTick(() => events.push("on its way"));
      given = { cost: headers["x-tollgate-cost"], prepared: headers === made };
    },
    ...(canPrepare
      ? {
          prepare(headers: Readonly<Record<string, string>>) {
            events.push("prepared");
            made = headers;
          },
        }
      : {}),
  };
  const { run } = admittedChat({
    call: { ...plain, reply },
    async settle({ sent }) {
      await Promise.resolve();
      sent?.();
      events.push("decided");
      return verdict;
    },
  });
  const [route] = run.model.routes;
  assert.ok(route !== undefined);
  run.phase = {
    kind: "answering",
    route,
    place: { release: () => undefined },
    translated: false,
    reported: { used: NOTHING_USED, finishReason: null, model: null },
    delivery: { firstContentMs: null },
    relay: null,
  };
  const finish = createRunFinish({
    clock: { monotonicMs: () => 0 },
    loadShedder: { enter: () => undefined, leave: () => undefined },
    onEnded: () => void events.push("reported"),
    leave: () => void events.push("let go"),
  });
  let composed = 0;
  const outcome: ChatOutcome = {
    state: "completed",
    usage: { kind: "valid", usage: USAGE, samplings: 1 },
    delivered: { anything: true, text: "the answer" },
    end: () => {
      composed += 1;
      return { streamed: false, contentType: "application/json", body: BODY };
    },
    kept: true,
    keep: null,
    fault: null,
  };
  const over = promisedEnd((ending) => finish(run, outcome, ending));
  const refused = await over.then(
    () => false,
    () => true,
  );
  return { events, given: given as Given | null, composed, refused };
}

const settled = (chargedNano: bigint): SettleVerdict => ({
  kind: "settled",
  chargedNano: chargedNano as Nano,
  releasedNano: 0n as Nano,
});

test("what was prepared is given once the verdict is there, and all that is reported comes behind it", async () => {
  const { events, given, composed } = await answered(settled(300n));
  assert.deepEqual(events, ["prepared", "decided", "given", "on its way", "reported", "let go"]);
  assert.deepEqual(given, { cost: "0.0000003", prepared: true });
  assert.equal(composed, 1);
});

test("another charge than was expected makes another answer", async () => {
  const { given } = await answered(settled(200n));
  assert.deepEqual(given, { cost: "0.0000002", prepared: false });
});

test("an answer that another process ended for less is not given, prepared or not", async () => {
  const taken: SettleVerdict = { kind: "already-settled", chargedNano: 0n as Nano };
  const { given, refused } = await answered(taken);
  assert.deepEqual([given, refused], [null, true]);
});

test("a reply that prepares nothing gets its answer all the same", async () => {
  const { given } = await answered(settled(300n), false);
  assert.deepEqual(given, { cost: "0.0000003", prepared: false });
});
