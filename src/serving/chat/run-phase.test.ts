/**
 * Protects: of a request nothing can be asked, and nothing be said, that its phase does not have.
 * Each line marked so must not compile; `tsc` refuses a mark above a line that does.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chatCall } from "../../../test/support/chat-call.ts";
import { answerOf, type ChatRun } from "./chat-run.ts";
import type {
  Admitted,
  Answering,
  Calling,
  Ended,
  RunPhase,
  Settled,
  Settling,
  WholeAnswer,
} from "./run-phase.ts";
import { ADMITTED } from "./run-phase.ts";

const CALL = chatCall();
const PLACE = { release: () => undefined };
const EXCHANGE = { abort: () => undefined };
const WHOLE: WholeAnswer = {
  kind: "answering",
  route: {} as Answering["route"],
  place: PLACE,
  translated: false,
  reported: {
    used: { variants: {}, toolCalls: {}, costText: null },
    finishReason: "stop",
    model: "m",
  },
  delivery: { firstContentMs: 1 },
  relay: null,
};
const SETTLED = {} as Settled;

test("a request has no call, no answer and no settlement of its own: its phase has", () => {
  const run = { call: CALL, phase: ADMITTED } as ChatRun;
  // @ts-expect-error what route answered, only an answer knows
  assert.equal(run.served, undefined);
  // @ts-expect-error what passes, only a streamed answer knows
  assert.equal(run.relay, undefined);
  // @ts-expect-error what it came to is known when it has ended
  assert.equal(run.settled, undefined);
  // @ts-expect-error not every phase has an answer
  assert.equal(run.phase.route, undefined);
  // @ts-expect-error not every phase has a settlement
  assert.equal(run.phase.settled, undefined);
});

test("before a route has answered there is neither route nor relay nor settlement", () => {
  const early = (phase: Admitted | Calling): void => {
    // @ts-expect-error no route has answered
    assert.equal(phase.route, undefined);
    // @ts-expect-error nothing passes
    assert.equal(phase.relay, undefined);
    // @ts-expect-error nothing is being settled
    assert.equal(phase.settled, undefined);
  };
  early(ADMITTED);
  early({ kind: "calling", exchange: EXCHANGE, place: PLACE, onDisconnect: "drain" });
  // @ts-expect-error a call can be stopped
  const unstoppable: Calling = { kind: "calling", place: PLACE, onDisconnect: "drain" };
  // @ts-expect-error nothing is being called
  const idle: Admitted = { kind: "admitted", exchange: EXCHANGE };
  assert.equal(answerOf({ phase: unstoppable }), answerOf({ phase: idle }));
});

test("an answer that came whole has nothing to relay, to stop or to save", () => {
  const answer = (phase: Answering): void => {
    // @ts-expect-error it may have come whole
    assert.equal(phase.exchange, undefined);
    // @ts-expect-error it may have come whole
    assert.equal(phase.saved, undefined);
    // @ts-expect-error nothing is being settled yet
    assert.equal(phase.settled, undefined);
  };
  answer(WHOLE);
  // @ts-expect-error a stream that passes is relayed
  const silent: RunPhase = { ...WHOLE, exchange: EXCHANGE, onDisconnect: "drain", relay: null };
  assert.equal(answerOf({ phase: silent }), silent);
});

test("what a request came to is known when it has ended, and not while it is settled", () => {
  const settling = (phase: Settling): void => {
    // @ts-expect-error a promise of it is all there is
    assert.equal(phase.settled.chargedNano, undefined);
    assert.equal(answerOf({ phase }), WHOLE);
  };
  settling({ kind: "settling", answer: WHOLE, settled: Promise.resolve(SETTLED), wait: null });
  // @ts-expect-error settling is under way
  const unsettled: Settling = { kind: "settling", answer: null, wait: null };
  // @ts-expect-error it has ended with something
  const forgotten: Ended = { kind: "ended", answer: null };
  // @ts-expect-error it is no promise any more
  const late: Ended = { kind: "ended", answer: null, settled: Promise.resolve(SETTLED) };
  for (const phase of [unsettled, forgotten, late]) assert.equal(answerOf({ phase }), null);
});

test("what its admission fixed stays as it was", () => {
  const run = { call: CALL, phase: ADMITTED, plan: {}, admission: {} } as ChatRun;
  const { plan, admission } = run;
  // @ts-expect-error fixed
  run.plan = plan;
  // @ts-expect-error fixed
  run.admission = admission;
  // @ts-expect-error fixed
  run.call = CALL;
  assert.equal(run.phase, ADMITTED);
});
