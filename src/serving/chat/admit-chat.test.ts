/**
 * Protects: what is held for a request and for how long, what its idempotency key stands for, and
 * that one that was refused leaves nothing behind.
 */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { chatCall } from "../../../test/support/chat-call.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { createSeal } from "../../kernel/seal.ts";
import type { Nano } from "../../kernel/money.ts";
import type { HoldRequest, HoldVerdict } from "../../ledger/hold-verdicts.ts";
import { countTexts } from "../../protocol/count-tokens.ts";
import type { SettleRequest } from "../money/settle-pipeline.ts";
import type { ChatCall } from "./chat-call.ts";
import { createChatAdmission } from "./admit-chat.ts";
import { createReportedCaches } from "./reported-caches.ts";

const CATALOGUE = `
upstreams: { u: { protocol: openai, baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: U_KEY } }
models: { m: { type: chat, endpoints: [chat.completions], contextTokens: 8000, maxOutputTokens: 4000, price: { input: "10", output: "20" }, routes: [ { upstream: u, model: m } ] } }`;

/** A ledger that answers as the test says, and what was asked of it and of the others. */
function stage(hold: () => Promise<HoldVerdict>) {
  const reading = parseCatalogue(CATALOGUE, { U_KEY: "x" });
  assert.ok(reading.ok);
  const { catalogue } = reading;
  const holds: HoldRequest[] = [];
  const settlements: SettleRequest[] = [];
  const digests: string[] = [];
  const forgotten: Uuid[] = [];
  const ledger = {
    undecided: false,
    hold(request: HoldRequest) {
      holds.push(request);
      return hold();
    },
    extend: async () => ({ kind: "gone" as const }),
    wasLost: () => false,
    async settle(request: SettleRequest) {
      settlements.push(request);
      return { kind: "unknown-hold" as const };
    },
  };
  let ended = 0;
  const admit = createChatAdmission({
    clock: { now: () => new Date(0), monotonicMs: () => 0 },
    ledger,
    countTokens: async (text) => text.length,
    countTexts,
    caches: createReportedCaches({ monotonicMs: () => 0 }),
    seal: createSeal("a secret of at least thirty-two characters"),
    onSuspicion: () => undefined,
    catalogue: { current: () => ({ version: 3, catalogue }) },
    ownerId: newUuid(),
    limits: {
      admit: () => ({
        standing: null,
        end() {
          ended += 1;
          return null;
        },
      }),
    },
    idempotency: {
      async begin({ digest }) {
        digests.push(digest.toString("hex"));
        return null;
      },
      keep: async () => "kept",
      forget: async ({ requestId }) => void forgotten.push(requestId),
    },
  });
  return { admit, ledger, holds, settlements, digests, forgotten, ended: () => ended };
}

const held = async (): Promise<HoldVerdict> => ({
  kind: "held",
  heldNano: 1n as Nano,
  tier: "slice",
});
const poor = async (): Promise<HoldVerdict> => ({
  kind: "insufficient-balance",
  availableNano: 0n as Nano,
  heldNano: 0n as Nano,
});

test("a whole answer may be held at once; a stream is held by slices, and never its whole limit (contract §6)", async () => {
  const { admit, holds } = stage(held);
  await admit(chatCall());
  await admit(chatCall({}, true));
  const [whole, stream] = holds;
  assert.ok(
    whole !== undefined &&
      (whole.fullNano ?? 0n) > whole.sliceNano &&
      whole.sliceNano > whole.minimumNano,
  );
  assert.deepEqual([stream?.fullNano, stream?.priceVersion], [null, 3]);
});

test("an idempotency key stands for the body and for what of the query goes on to the upstream", async () => {
  const { admit, digests } = stage(held);
  for (const query of ["", "", "?beta=true"]) await admit(chatCall({ idempotencyKey: "k", query }));
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

test("a request that is refused for its money gives its place and its idempotency key back, and releases nothing", async () => {
  const { admit, ended, forgotten, settlements } = stage(poor);
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const call = chatCall({ idempotencyKey: "k" });
    await assert.rejects(async () => admit(call), { code: "insufficient_balance" });
    mock.timers.tick(3_600_000);
    assert.deepEqual([ended(), forgotten, settlements.length], [1, [call.requestId], 0]);
  } finally {
    mock.timers.reset();
  }
});

test("a hold whose verdict never came is released, once nothing that could still make it is in flight", async () => {
  const { admit, ended, ledger, settlements } = stage(() =>
    Promise.reject(new Fault("overloaded")),
  );
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const call = chatCall();
    ledger.undecided = true;
    await assert.rejects(async () => admit(call), { code: "overloaded" });
    assert.equal(ended(), 1);
    mock.timers.tick(60_000);
    assert.equal(settlements.length, 0, "it may still be made");
    ledger.undecided = false;
    mock.timers.tick(60_000);
    assert.deepEqual(
      settlements.map(({ holdId, chargeNano }) => [holdId, chargeNano]),
      [[call.requestId, 0n]],
    );
  } finally {
    mock.timers.reset();
  }
});

test("a prompt that provably passes the context window is refused before anything is held; one of many spaces is not (contract §6)", async () => {
  const { admit, holds, ended } = stage(held);
  const asking = (content: string): ChatCall => {
    const body = Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content }] }));
    return { ...chatCall(), body };
  };
  const words = "passes the window ".repeat(2_000_000 / 18);
  await assert.rejects(async () => admit(asking(words)), {
    code: "context_length_exceeded",
    status: 400,
    message: /prompt is too long: at least \d+ tokens > \d+ maximum.*maximum context length/,
  });
  assert.deepEqual([holds.length, ended()], [0, 0]);
  await admit(asking(" ".repeat(600_000)));
  assert.equal(holds.length, 1);
});
