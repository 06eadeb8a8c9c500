/** An admitted chat request on a ledger of memory, for what follows its admission. */
import assert from "node:assert/strict";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import type { Nano } from "../../src/kernel/money.ts";
import type { ExtendVerdict, SettleVerdict } from "../../src/ledger/hold-verdicts.ts";
import type { ChatCall } from "../../src/serving/chat/chat-call.ts";
import { createChatRun, type ChatRun } from "../../src/serving/chat/chat-run.ts";
import type { IdempotentAnswer } from "../../src/serving/chat/idempotent-answer.ts";
import { planHold } from "../../src/serving/chat/plan-hold.ts";
import { createReportedCaches } from "../../src/serving/chat/reported-caches.ts";
import type { SettleRequest } from "../../src/serving/money/settle-pipeline.ts";
import { chatCall } from "./chat-call.ts";

/** Ten nano-roubles for each token, whichever way it goes; an answer of 100 at most. */
const CATALOGUE = `
upstreams: { u: { protocol: openai, baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: U_KEY } }
models: { m: { type: chat, endpoints: [chat.completions], contextTokens: 1000, maxOutputTokens: 100, price: { input: "0.01", output: "0.01" }, routes: [ { upstream: u, model: m } ] } }`;

/** So much is held for it. */
export const HELD = 500n as Nano;

export interface AdmittedChatOptions {
  readonly call?: ChatCall;
  /** What extensions find; granted in full where it says nothing. */
  readonly extend?: (addNano: Nano) => ExtendVerdict;
  /** What the ledger says to the settlement, where it is not just done. */
  readonly settle?: (request: SettleRequest) => SettleVerdict | Promise<SettleVerdict>;
  /** Present for a request with an idempotency key. */
  readonly idempotent?: Omit<IdempotentAnswer, "claim" | "reply">;
}

export function admittedChat(options: AdmittedChatOptions = {}): {
  readonly run: ChatRun;
  readonly settlements: readonly SettleRequest[];
} {
  const settlements: SettleRequest[] = [];
  const reading = parseCatalogue(CATALOGUE, { U_KEY: "x" });
  assert.ok(reading.ok);
  const { catalogue } = reading;
  const model = catalogue.models.get("m");
  assert.ok(model?.type === "chat");
  const { call = chatCall(), idempotent } = options;
  const asked = call.dialect.readRequest(call.body);
  assert.ok(asked.ok);
  const { request } = asked;
  const claim = { accountId: call.key.accountId, key: "k", requestId: call.requestId };
  const run = createChatRun(
    {
      clock: { now: () => new Date(0), monotonicMs: () => 0 },
      ledger: {
        hold: async () => ({ kind: "unknown-account" }),
        extend: async ({ addNano }) =>
          options.extend?.(addNano) ?? { kind: "extended", heldNano: (HELD + addNano) as Nano },
        async settle(settlement) {
          settlements.push(settlement);
          const chargedNano = settlement.chargeNano;
          const settled: SettleVerdict = { kind: "settled", chargedNano, releasedNano: 0n as Nano };
          return options.settle?.(settlement) ?? settled;
        },
        undecided: false,
        wasLost: () => false,
      },
      countTokens: async (text) => text.length,
      countTexts: async (texts) => [...texts].join("").length,
      caches: createReportedCaches({ monotonicMs: () => 0 }),
      seal: createSeal("a secret of at least thirty-two characters"),
      onSuspicion: () => undefined,
    },
    call,
    {
      request,
      catalogue,
      priceVersion: 1,
      model,
      answerModel: null,
      plan: planHold(model, request),
      asked: null,
      dropped: null,
    },
    {
      held: { kind: "held", heldNano: HELD, tier: "slice" },
      idempotent:
        idempotent === undefined
          ? null
          : { claim, reply: call.reply, end: idempotent.end, unkept: idempotent.unkept },
      pass: { standing: null, end: () => null },
      promptTokens: null,
    },
  );
  return { run, settlements };
}
