/**
 * Guarantee: whatever usage an upstream of the Messages protocol reports, in whichever of its
 * events, and however its answer ends, there is one written outcome to the nano-rouble, whatever
 * the caller speaks (hazards §4, §5, §17, §21, §121).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anthropicMessage, anthropicStream } from "../support/anthropic-stream.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import {
  askPair,
  CALLERS,
  countedPrompt,
  ERROR_EVENTS,
  eventsOf,
  generatedIn,
  isLastEvent,
  pairsCatalogue,
  type Caller,
} from "../support/protocol-pairs.ts";
import type { Exchange } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
});
after(() => scene.close());

const CONTENT = "Count to two hundred";
const PIECES = [" one", " two", " three"];
const LIMIT = 50;
const BILLION = 1_000_000_000;

interface Tokens {
  readonly input?: number;
  readonly read?: number;
  readonly write5m?: number;
  readonly write1h?: number;
  readonly output: number;
}

/** Nano-roubles, at 150, 15, 187.5, 300 and 600 roubles for 1M tokens. */
function price({ input = 0, read = 0, write5m = 0, write1h = 0, output }: Tokens): bigint {
  return BigInt(
    input * 150_000 + read * 15_000 + write5m * 187_500 + write1h * 300_000 + output * 600_000,
  );
}

/**
 * What is charged: the upstream's figures, or a count of both sides, or of the answer alone where
 * the prompt's figure is known.
 */
interface Outcome {
  readonly source: "upstream" | "counted";
  readonly charge: (caller: Caller) => bigint;
  /** What the upstream claims beyond the charge, where that has a price. */
  readonly claimed?: bigint;
  readonly suspicious?: boolean;
}

const reported = (tokens: Tokens): Outcome => ({ source: "upstream", charge: () => price(tokens) });
const COUNTED: Outcome = {
  source: "counted",
  charge: (caller) => price({ input: countedPrompt(caller, CONTENT), output: PIECES.length }),
};
const outputCounted = (prompt: Omit<Tokens, "output">): Outcome => ({
  source: "counted",
  charge: () => price({ ...prompt, output: PIECES.length }),
});
const disbelieved = (claimed: bigint | null = null): Outcome => ({
  ...COUNTED,
  suspicious: true,
  ...(claimed === null ? {} : { claimed }),
});

interface Row {
  readonly name: string;
  /** `usage` of message_start and of message_delta; undefined leaves it out. */
  readonly start?: object;
  readonly delta?: object;
  /** The outcome once message_delta has come. */
  readonly whole: Outcome;
  /** The outcome where the stream breaks off before it. */
  readonly broken: Outcome;
  /**
   * Of a whole answer, which has one usage: the start's figures, and over them the delta's. Absent:
   * that of `whole`.
   */
  readonly unstreamed?: Outcome;
}

const START = { input_tokens: 17, output_tokens: 1 };
const CACHED_START = {
  input_tokens: 17,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 50,
  cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 },
  output_tokens: 1,
};
const CACHED = { input: 17, read: 100, write5m: 30, write1h: 20 };

const ROWS: readonly Row[] = [
  { name: "absent", whole: COUNTED, broken: COUNTED },
  {
    name: "null",
    start: { input_tokens: null, output_tokens: null },
    delta: { output_tokens: null },
    whole: COUNTED,
    broken: COUNTED,
  },
  {
    name: "all zero, which is zero and not absent",
    start: { input_tokens: 0, output_tokens: 0 },
    delta: { output_tokens: 0 },
    whole: reported({ output: 0 }),
    broken: outputCounted({ input: 0 }),
  },
  {
    name: "as documented",
    start: START,
    delta: { output_tokens: 9 },
    whole: reported({ input: 17, output: 9 }),
    broken: outputCounted({ input: 17 }),
  },
  {
    name: "as digits in texts",
    start: { input_tokens: "17", output_tokens: "1" },
    delta: { output_tokens: "9" },
    whole: reported({ input: 17, output: 9 }),
    broken: outputCounted({ input: 17 }),
  },
  {
    name: "only in message_start, whose output is a placeholder",
    start: START,
    whole: outputCounted({ input: 17 }),
    broken: outputCounted({ input: 17 }),
    unstreamed: reported({ input: 17, output: 1 }),
  },
  {
    name: "only in message_delta, both sides",
    delta: { input_tokens: 17, output_tokens: 9 },
    whole: reported({ input: 17, output: 9 }),
    broken: COUNTED,
  },
  {
    name: "only in message_delta, the answer alone",
    delta: { output_tokens: 9 },
    whole: {
      source: "counted",
      charge: (caller) => price({ input: countedPrompt(caller, CONTENT), output: 9 }),
    },
    broken: COUNTED,
  },
  {
    name: "corrected by message_delta, which replaces and never adds",
    start: { ...START, cache_read_input_tokens: 5 },
    delta: { input_tokens: 20, cache_read_input_tokens: 8, output_tokens: 9 },
    whole: reported({ input: 20, read: 8, output: 9 }),
    broken: outputCounted({ input: 17, read: 5 }),
  },
  {
    name: "nulls in message_delta, which say nothing",
    start: CACHED_START,
    delta: {
      input_tokens: null,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      output_tokens: 9,
    },
    whole: reported({ ...CACHED, output: 9 }),
    broken: outputCounted(CACHED),
  },
  {
    name: "cached in every way, beside the input",
    start: CACHED_START,
    delta: { output_tokens: 9 },
    whole: reported({ ...CACHED, output: 9 }),
    broken: outputCounted(CACHED),
  },
  {
    name: "a negative output",
    start: START,
    delta: { output_tokens: -5 },
    whole: disbelieved(),
    broken: outputCounted({ input: 17 }),
  },
  {
    name: "a fraction",
    start: START,
    delta: { output_tokens: 9.5 },
    whole: disbelieved(),
    broken: outputCounted({ input: 17 }),
  },
  {
    name: "a negative input",
    start: { input_tokens: -17, output_tokens: 1 },
    delta: { output_tokens: 9 },
    whole: disbelieved(),
    // What content follows was not the last word on it.
    broken: COUNTED,
  },
  {
    name: "too huge to be a number of anything",
    start: START,
    delta: { output_tokens: 1e300 },
    whole: disbelieved(),
    broken: outputCounted({ input: 17 }),
  },
  {
    name: "billions",
    start: START,
    delta: { output_tokens: 5 * BILLION },
    whole: disbelieved(price({ input: 17, output: 5 * BILLION })),
    broken: outputCounted({ input: 17 }),
  },
  {
    name: "one token above the limit that was sent",
    start: START,
    delta: { output_tokens: LIMIT + 1 },
    whole: disbelieved(price({ input: 17, output: LIMIT + 1 })),
    broken: outputCounted({ input: 17 }),
  },
  {
    name: "a prompt above the context window, cached tokens in it",
    start: { input_tokens: 17, cache_read_input_tokens: 200_000, output_tokens: 1 },
    delta: { output_tokens: 9 },
    whole: disbelieved(price({ input: 17, read: 200_000, output: 9 })),
    broken: disbelieved(),
  },
];

const ERROR_WORDS =
  "The engine has stopped after far too many words of explanation that nobody ought to be charged for";

const ENDINGS = [
  "ends normally",
  "ends before message_delta",
  "ends before message_stop",
  "reports an error before message_delta",
  "reports an error after message_delta",
] as const;
type Ending = (typeof ENDINGS)[number];

async function streamAnswer(
  exchange: Exchange,
  { start, delta }: Row,
  ending: Ending,
): Promise<void> {
  const events = anthropicStream({
    blocks: [{ type: "text", pieces: PIECES }],
    startUsage: start,
    usage: delta,
  });
  const before = ending.endsWith("before message_delta");
  await exchange.sendAll(ending === "ends normally" ? events : events.slice(0, before ? -2 : -1));
  const error = { type: "error", error: { type: "api_error", message: ERROR_WORDS } };
  if (ending.startsWith("reports")) await exchange.send(sseEvent(error, "error"));
  exchange.end();
}

async function check(
  caller: Caller,
  row: Row,
  ending: Ending,
  way: "streamed" | "assembled",
): Promise<void> {
  const cell = `${caller} caller, ${way}, upstream ${ending}, usage ${row.name}`;
  const stream = way === "streamed";
  // The worst case of 50 tokens is more than a quarter of the smaller balance.
  const customer = await scene.customer({ roubles: stream ? "100" : "0.1" });
  const play = scene.play((exchange) => streamAnswer(exchange, row, ending));
  const pair = { caller, upstream: "anthropic" } as const;
  const answer = await askPair(scene, customer.secret, pair, {
    content: CONTENT,
    user: play.user,
    stream,
    maxTokens: LIMIT,
  }).answer;
  const whole = ending === "ends normally";
  const outcome =
    whole || ending.includes("message_stop") || ending.includes("after message_delta")
      ? row.whole
      : row.broken;
  if (stream) {
    const events = eventsOf(answer.body);
    assert.deepEqual(
      [answer.status, answer.broken, events.map(generatedIn).join("")],
      [200, !whole, PIECES.join("")],
      cell,
    );
    assert.deepEqual(
      [events.some(isLastEvent), ERROR_EVENTS[caller].test(events.at(-1) ?? "")],
      [whole, !whole],
      cell,
    );
  } else assert.equal(answer.status, whole ? 200 : 502, cell);
  assert.equal(
    answer.body.includes(ERROR_WORDS),
    ending.startsWith("reports"),
    `${cell}: the caller is told the cause`,
  );
  const { state, chargedNano, detail } = await scene.receipt(answer.requestId);
  const found = [
    state,
    chargedNano,
    detail["usageSource"],
    detail["suspicion"] !== null,
    await scene.losses(customer.accountId),
  ];
  if (!stream && !whole) return assert.deepEqual(found, ["failed", 0n, "none", false, []], cell);
  assert.deepEqual(
    found,
    [whole ? "completed" : "interrupted", ...expected(outcome, caller)],
    cell,
  );
  assert.equal((await scene.money(customer.accountId)).charged, chargedNano, cell);
}

function expected(
  { source, charge, suspicious = false, claimed = 0n }: Outcome,
  caller: Caller,
): unknown[] {
  const charged = charge(caller);
  return [charged, source, suspicious, claimed > charged ? [claimed - charged] : []];
}

for (const caller of CALLERS) {
  for (const ending of ENDINGS) {
    for (const way of ["streamed", "assembled"] as const) {
      test(`${caller} caller, ${way}, and the upstream ${ending}: one outcome for each of ${ROWS.length} usages`, async () => {
        await Promise.all(ROWS.map((row) => check(caller, row, ending, way)));
      });
    }
  }

  test(`${caller} caller, passed through whole: one outcome for each of ${ROWS.length} usages`, async () => {
    await Promise.all(
      ROWS.map(async (row) => {
        const cell = `${caller} caller, whole, usage ${row.name}`;
        const customer = await scene.customer();
        const usage = row.start === undefined && row.delta === undefined ? undefined : merged(row);
        const answered = anthropicMessage({ blocks: [{ type: "text", pieces: PIECES }], usage });
        const play = scene.play((exchange) => exchange.json(200, answered));
        const pair = { caller, upstream: "anthropic" } as const;
        const question = { content: CONTENT, user: play.user, stream: false, maxTokens: LIMIT };
        const answer = await askPair(scene, customer.secret, pair, question).answer;
        assert.equal(answer.status, 200, cell);
        const { state, chargedNano, detail } = await scene.receipt(answer.requestId);
        assert.deepEqual(
          [
            state,
            chargedNano,
            detail["usageSource"],
            detail["suspicion"] !== null,
            await scene.losses(customer.accountId),
          ],
          ["completed", ...expected(row.unstreamed ?? row.whole, caller)],
          cell,
        );
      }),
    );
  });
}

/** One usage out of two, as a stream's reader must understand them: what is not null replaces. */
function merged({ start = {}, delta = {} }: Row): object {
  const stated = Object.entries(delta).filter(([, value]) => value !== null);
  return { ...start, ...Object.fromEntries(stated) };
}

test("the books agree after all of this", () => scene.verifyBooks());
