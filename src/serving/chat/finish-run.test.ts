/**
 * Protects: every admitted request ends once and in the same order, whatever it came to: settled,
 * its caller told, reported, let go.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chatCall } from "../../../test/support/chat-call.ts";
import { admittedChat, type AdmittedChatOptions } from "../../../test/support/chat-run.ts";
import { createGate } from "../../../test/support/scripted-upstream.ts";
import { assertResponseStream, responseEvents } from "../../../test/support/strict-response.ts";
import { until } from "../../../test/support/until.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { SettleVerdict } from "../../ledger/hold-verdicts.ts";
import { responsesDialect } from "../../protocol/responses/dialect.ts";
import type { AnswerEnd } from "./answer-end.ts";
import { promisedEnd, type ChatCall } from "./chat-call.ts";
import { released, type ChatOutcome } from "./chat-outcome.ts";
import { createRunFinish, failed } from "./finish-run.ts";
import { tickRun } from "./tick-run.ts";

const ANSWERED: ChatOutcome = {
  state: "completed",
  usage: {
    kind: "valid",
    usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 20 },
    samplings: 1,
  },
  delivered: { anything: true, text: "word" },
  end: () => ({ streamed: true, last: Buffer.from("last"), broken: false }),
  kept: true,
  keep: null,
  fault: null,
};
const settledFor = (chargedNano: bigint): SettleVerdict => ({
  kind: "settled",
  chargedNano: chargedNano as Nano,
  releasedNano: 0n as Nano,
});

interface Options extends Pick<AdmittedChatOptions, "idempotent"> {
  readonly verdict?: SettleVerdict | Promise<SettleVerdict>;
  /** A byte of the stream has been sent. */
  readonly started?: boolean;
  /** Of a caller that does not speak Chat Completions. */
  readonly asked?: Partial<Pick<ChatCall, "dialect" | "body">>;
}

function stage({ verdict = settledFor(300n), started = false, asked, ...rest }: Options = {}) {
  const events: string[] = [];
  let streamStarted = started;
  const plain = { ...chatCall({}, true), ...asked };
  const call: typeof plain = {
    ...plain,
    reply: {
      ...plain.reply,
      startStream: () => void (streamStarted = true),
      get streamStarted() {
        return streamStarted;
      },
      end: (last) => void events.push(`end ${last?.toString() ?? ""}`),
      breakOff: (last) => void events.push(`broken off ${last === null ? "" : "with a fault"}`),
    },
  };
  const { run } = admittedChat({
    ...rest,
    call,
    async settle() {
      const stated = await verdict;
      events.push("settled");
      return stated;
    },
  });
  let nowMs = 0;
  const finish = createRunFinish({
    clock: { monotonicMs: () => nowMs },
    loadShedder: { enter: () => undefined, leave: () => undefined },
    onEnded: (_run, { state }) => void events.push(`reported ${state}`),
    leave: () => void events.push("left"),
  });
  return {
    run,
    events,
    finish: (outcome: ChatOutcome) => promisedEnd((ending) => finish(run, outcome, ending)),
    passMs(ms: number) {
      nowMs += ms;
      tickRun(run, nowMs);
    },
  };
}

const ended = (state: string): string[] => [`reported ${state}`, "left"];
const isFault =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code;

test("an answer: settled, its end, reported, let go", async () => {
  const { finish, events, run } = stage();
  await finish(ANSWERED);
  assert.deepEqual(events, ["settled", "end last", ...ended("completed")]);
  assert.equal(run.phase.kind, "ended");
});

test("a fault: the hold is released before the caller is told, by a status where no byte was sent", async () => {
  const { finish, events, run } = stage({ verdict: settledFor(0n) });
  await assert.rejects(finish(failed(run, new Fault("overloaded"))), isFault("overloaded"));
  assert.deepEqual(events, ["settled", ...ended("failed")]);
  const begun = stage({ verdict: settledFor(0n), started: true });
  await begun.finish(failed(begun.run, new Fault("overloaded")));
  assert.deepEqual(begun.events, ["settled", ...ended("failed"), "broken off with a fault"]);
});

test("a response of which only signs of life were sent ends as a whole one that failed: in order where asking again changes nothing", async () => {
  const body = Buffer.from(JSON.stringify({ model: "m", stream: true, input: "hi", top_p: 0.5 }));
  const asked = { dialect: responsesDialect, body };
  const { finish, events, run } = stage({ verdict: settledFor(0n), started: true, asked });
  await finish(failed(run, new Fault("context_length_exceeded")));
  const end = events.at(-1) ?? "";
  assert.match(end, /^end /);
  const response = assertResponseStream(responseEvents(end.slice("end ".length)));
  assert.partialDeepStrictEqual(response, {
    status: "failed",
    error: { code: "context_length_exceeded" },
    top_p: 0.5,
  });
  const again = stage({ verdict: settledFor(0n), started: true, asked });
  await again.finish(failed(again.run, new Fault("rate_limit_exceeded")));
  assert.equal(again.events.at(-1), "broken off with a fault");
});

test("a caller that is gone gets nothing, and its request ends all the same", async () => {
  const { finish, events } = stage({ verdict: settledFor(0n) });
  await finish(released("client_gone", null));
  assert.deepEqual(events, ["settled", ...ended("client_gone")]);
});

test("an answer that is not paid for, not kept or has no end is none, and is reported once", async () => {
  const unkept = new Fault("overloaded");
  const cases: readonly (readonly [string, Options, ChatOutcome["end"]])[] = [
    [
      "another process settled it for less",
      { verdict: { kind: "already-settled", chargedNano: 0n as Nano } },
      ANSWERED.end,
    ],
    [
      "its idempotency key could not keep it",
      {
        idempotent: {
          end: async () => ({ accountId: "a", key: "k", requestId: "r", answered: false }),
          unkept,
        },
      },
      ANSWERED.end,
    ],
  ];
  for (const [name, options, end] of cases) {
    const { finish, events } = stage(options);
    await assert.rejects(finish({ ...ANSWERED, end }), isFault("overloaded"), name);
    assert.deepEqual(events, ["settled", ...ended("failed")], name);
  }
  const endless = stage();
  const end = (): AnswerEnd => {
    throw new Fault("upstream_error");
  };
  await endless.finish({ ...ANSWERED, end });
  assert.deepEqual(endless.events, ["settled", ...ended("failed"), "broken off with a fault"]);
});

test("past a minute the end does not wait for the ledger; the report does, and comes once", async () => {
  for (const outcome of [ANSWERED, released("failed", new Fault("upstream_error"))]) {
    const gate = createGate();
    const { finish, events, passMs } = stage({
      started: true,
      verdict: gate.wait.then(() => settledFor(300n)),
    });
    const over = finish(outcome);
    await new Promise((resolve) => setImmediate(resolve));
    passMs(59_999);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(events.length, 0);
    passMs(1);
    const reported = outcome.fault === null ? "end last" : "broken off with a fault";
    await until("the end", async () => events.length > 0);
    assert.deepEqual(events, [reported]);
    gate.open();
    await over;
    await until("the report", async () => events.includes("left"));
    assert.deepEqual(events, [reported, "settled", ...ended(outcome.state)]);
  }
});
