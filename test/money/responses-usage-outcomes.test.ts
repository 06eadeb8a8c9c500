/**
 * Guarantee: whatever usage an upstream of the Responses protocol reports, and however its answer
 * ends, there is one written outcome to the nano-rouble, whatever the caller speaks (hazards §4,
 * §5, §17, §21).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
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
import { responsesStream, responsesUsage, responsesWhole } from "../support/responses-stream.ts";
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

interface Tokens {
  readonly input?: number;
  readonly read?: number;
  readonly written?: number;
  readonly output: number;
}

/** Nano-roubles, at 150, 15, 187.5 and 600 roubles for 1M tokens. */
function price({ input = 0, read = 0, written = 0, output }: Tokens): bigint {
  return BigInt(input * 150_000 + read * 15_000 + written * 187_500 + output * 600_000);
}

const counted = (caller: Caller): bigint =>
  price({ input: countedPrompt(caller, CONTENT), output: PIECES.length });

interface Row {
  readonly name: string;
  /** Undefined: none. */
  readonly usage?: unknown;
  /** What the upstream's figures come to; absent: they are not believed, or there are none. */
  readonly reported?: Tokens;
  readonly suspicious?: boolean;
  /** What an unbelieved figure claims beyond the charge, where that has a price. */
  readonly claimed?: Tokens;
}

const details = (cached: number, written = 0): Record<string, unknown> => ({
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
});

const ROWS: readonly Row[] = [
  { name: "absent" },
  { name: "null", usage: null },
  { name: "empty", usage: {} },
  { name: "all zero", usage: responsesUsage(0, 0), reported: { input: 0, output: 0 } },
  { name: "as documented", usage: responsesUsage(17, 9), reported: { input: 17, output: 9 } },
  {
    name: "as digits in texts",
    usage: { input_tokens: "17", output_tokens: "9" },
    reported: { input: 17, output: 9 },
  },
  {
    name: "cached and written to a cache, as parts of the input",
    usage: responsesUsage(117, 9, details(60, 40)),
    reported: { input: 17, read: 60, written: 40, output: 9 },
  },
  {
    name: "with more cached than there is, which is cut to fit",
    usage: responsesUsage(17, 9, details(1000)),
    reported: { read: 17, output: 9 },
  },
  {
    name: "with reasoning, as a part of the output",
    usage: responsesUsage(17, 9, { output_tokens_details: { reasoning_tokens: 6 } }),
    reported: { input: 17, output: 9 },
  },
  { name: "a negative output", usage: responsesUsage(17, -5), suspicious: true },
  { name: "a fraction", usage: responsesUsage(17, 9.5), suspicious: true },
  {
    name: "too huge to be a number of anything",
    usage: responsesUsage(17, 1e300),
    suspicious: true,
  },
  {
    name: "one token above the limit that was sent",
    usage: responsesUsage(17, LIMIT + 1),
    suspicious: true,
    claimed: { input: 17, output: LIMIT + 1 },
  },
  {
    name: "a prompt above the context window",
    usage: responsesUsage(200_017, 9),
    suspicious: true,
    claimed: { input: 200_017, output: 9 },
  },
];

const ERROR_WORDS = "The engine has stopped after far too many words of explanation";
const ENDINGS = [
  "ends normally",
  "leaves the connection open after its end",
  "ends before its last event",
  "reports an error",
  "fails",
] as const;
type Ending = (typeof ENDINGS)[number];

async function streamAnswer(exchange: Exchange, { usage }: Row, ending: Ending): Promise<void> {
  const events = responsesStream({ items: [{ type: "message", pieces: PIECES }], usage });
  const whole = ending === "ends normally" || ending === "leaves the connection open after its end";
  await exchange.sendAll(whole ? events : events.slice(0, -1));
  const error = { code: "server_error", message: ERROR_WORDS };
  if (ending === "reports an error")
    await exchange.send(sseEvent({ type: "error", ...error, param: null }, "error"));
  if (ending === "fails")
    await exchange.send(
      sseEvent(
        { type: "response.failed", response: { status: "failed", error, usage } },
        "response.failed",
      ),
    );
  if (ending === "leaves the connection open after its end") await exchange.hang();
  else exchange.end();
}

/** Charge, source, suspicion, losses. */
function expected({ reported, suspicious = false, claimed }: Row, caller: Caller): unknown[] {
  if (reported !== undefined) return [price(reported), "upstream", false, []];
  const charged = counted(caller);
  const lost = claimed === undefined ? 0n : price(claimed) - charged;
  return [charged, "counted", suspicious, lost > 0n ? [lost] : []];
}

async function outcomeOf(requestId: string, accountId: string): Promise<unknown[]> {
  const { state, chargedNano, detail } = await scene.receipt(requestId);
  return [
    state,
    chargedNano,
    detail["usageSource"],
    detail["suspicion"] !== null,
    await scene.losses(accountId),
  ];
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
  const pair = { caller, upstream: "responses" } as const;
  const question = { content: CONTENT, user: play.user, stream, maxTokens: LIMIT };
  const answer = await askPair(scene, customer.secret, pair, question).answer;
  const whole = ending === "ends normally" || ending === "leaves the connection open after its end";
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
    ending === "reports an error" || ending === "fails",
    `${cell}: the caller is told the cause`,
  );
  const found = await outcomeOf(answer.requestId, customer.accountId);
  if (!stream && !whole) return assert.deepEqual(found, ["failed", 0n, "none", false, []], cell);
  // Before its end nothing is told.
  const outcome = whole ? row : { name: "absent" };
  assert.deepEqual(
    found,
    [whole ? "completed" : "interrupted", ...expected(outcome, caller)],
    cell,
  );
  assert.equal((await scene.money(customer.accountId)).charged, found[1], cell);
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
        const customer = await scene.customer();
        const whole = responsesWhole({
          items: [{ type: "message", pieces: PIECES }],
          usage: row.usage,
        });
        const play = scene.play((exchange) => exchange.json(200, whole));
        const pair = { caller, upstream: "responses" } as const;
        const question = { content: CONTENT, user: play.user, stream: false, maxTokens: LIMIT };
        const answer = await askPair(scene, customer.secret, pair, question).answer;
        assert.equal(answer.status, 200, row.name);
        assert.deepEqual(
          await outcomeOf(answer.requestId, customer.accountId),
          ["completed", ...expected(row, caller)],
          `${caller} caller, whole, usage ${row.name}`,
        );
      }),
    );
  });
}

test("the books agree after all of this", () => scene.verifyBooks());
