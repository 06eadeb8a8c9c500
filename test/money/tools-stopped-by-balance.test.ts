/**
 * Guarantee: calls of tools end where the money ends as text does: the arguments of the caller's
 * tools, and calls of the upstream's own that have a price (contract §6, §12).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anthropicStream } from "../support/anthropic-stream.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import {
  CALLER_PATHS,
  CALLERS,
  PROTOCOLS,
  type Caller,
  type Protocol,
} from "../support/protocol-pairs.ts";
import { responsesStream } from "../support/responses-stream.ts";
import type { Handler } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";
import { until } from "../support/until.ts";

/** Roubles for each search of the upstream. */
const SEARCH_NANO = 900_000_000n;
const ROUBLES = "10";
const BALANCE = 10_000_000_000n;
const HELLO = [{ role: "user", content: "Hello" }];

function catalogue(url: string): string {
  const upstream = (protocol: string): string =>
    `{ protocol: ${protocol}, baseUrl: "${url}/v1", apiKeyEnv: UPSTREAM_KEY }`;
  const model = (name: string): string => `  ${name}:
    type: chat
    endpoints: [chat.completions, messages]
    contextTokens: 20000
    maxOutputTokens: 8000
    price: { input: "150", cacheWrite5m: "187.5", cacheWrite1h: "300", output: "6000" }
    surcharges: { tools: { web_search: { perCall: "0.9", maxCalls: 2 } } }
    routes: [{ upstream: ${name}, model: there }]
`;
  const upstreams = PROTOCOLS.map((protocol) => `  ${protocol}: ${upstream(protocol)}\n`);
  return `upstreams:\n${upstreams.join("")}models:\n${PROTOCOLS.map(model).join("")}`;
}

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue });
});
after(() => scene.close());

interface Asked {
  readonly caller: Caller;
  readonly model: Protocol;
  readonly say: Handler;
  readonly body?: object;
}

/** The same question of each caller, by the user of a play. */
const QUESTIONS: Readonly<Record<Caller, (user: string) => object>> = {
  openai: (user) => ({ messages: HELLO, user }),
  anthropic: (user) => ({ messages: HELLO, metadata: { user_id: user }, max_tokens: 8000 }),
  responses: (user) => ({ input: HELLO, user }),
};

/** Streams until the upstream is left; returns what the customer got and paid. */
async function ask({ caller, model, say, body = {} }: Asked) {
  const customer = await scene.customer({ roubles: ROUBLES });
  const play = scene.play(say);
  const asked = { model, stream: true, ...QUESTIONS[caller](play.user), ...body };
  const answer = await postChat(scene.gateway.url, customer.secret, asked, CALLER_PATHS[caller])
    .answer;
  assert.equal(answer.status, 200, answer.body.toString());
  await (
    await play.asked
  ).aborted;
  const receipt = await scene.receipt(answer.requestId);
  return { answer, receipt, money: await scene.money(customer.accountId) };
}

const STOPPED: Readonly<Record<Caller, RegExp>> = {
  openai: /"finish_reason":"length"/,
  anthropic: /"stop_reason":"max_tokens"/,
  responses: /"incomplete_details":\{"reason":"max_output_tokens"\}/,
};

function insistStopped(
  { answer, receipt, money }: Awaited<ReturnType<typeof ask>>,
  caller: Caller,
): void {
  assert.equal(answer.broken, false, answer.body.toString().slice(-2000));
  assert.match(answer.body.toString(), STOPPED[caller]);
  assert.equal(receipt.state, "stopped_by_balance");
  assert.deepEqual([money.charged, money.held], [receipt.chargedNano, 0n]);
  assert.ok(money.charged > 0n && money.charged <= BALANCE, `${money.charged} were charged`);
}

/** 40,000 pieces of arguments that are never the last: hundreds of roubles. */
const PIECE = ' "word", "word", "word", "word",';
const PIECES = 40_000;

async function endless(
  exchange: Parameters<Handler>[0],
  head: readonly Buffer[],
  piece: Buffer,
): Promise<void> {
  if (!(await exchange.sendAll(head))) return;
  for (let sent = 0; sent < PIECES; sent++) if (!(await exchange.sendAll([piece]))) return;
  assert.fail("nobody stopped the upstream");
}

/** The beginning of a call, and a piece of its arguments. */
const CALLS: Readonly<
  Record<Protocol, (text: string) => { readonly head: Buffer[]; readonly piece: Buffer }>
> = {
  openai(text) {
    const events = openAiStream({
      toolCalls: [{ id: "call_1", name: "write", arguments: [text] }],
    });
    return { head: events.slice(0, 2), piece: events[2] as Buffer };
  },
  anthropic(text) {
    const events = anthropicStream({
      blocks: [{ type: "tool_use", id: "toolu_1", name: "write", pieces: [text] }],
      startUsage: { input_tokens: 8, output_tokens: 1 },
    });
    return { head: events.slice(0, 2), piece: events[2] as Buffer };
  },
  responses(text) {
    const events = responsesStream({
      items: [{ type: "function_call", callId: "call_1", name: "write", pieces: [text] }],
    });
    return { head: events.slice(0, 3), piece: events[3] as Buffer };
  },
};

for (const model of PROTOCOLS) {
  for (const caller of CALLERS) {
    test(`endless arguments of a call are stopped where the money ends, and charged as far as they came: ${model} upstream, ${caller} caller`, async () => {
      const { head, piece } = CALLS[model](PIECE);
      const asked = await ask({
        caller,
        model,
        say: (exchange) => endless(exchange, head, piece),
      });
      insistStopped(asked, caller);
      assert.equal(asked.receipt.detail["lossNano"], "0");
      assert.ok(
        asked.money.available < BALANCE / 50n,
        `what was there was used: ${asked.money.available} is left`,
      );
    });
  }

  test(`arguments in one piece that the account cannot pay for are not delivered at all: ${model} upstream`, async () => {
    const { head, piece } = CALLS[model](` "unpaid",`.repeat(2000));
    const asked = await ask({
      caller: model,
      model,
      async say(exchange) {
        await exchange.sendAll([...head, piece]);
        await exchange.hang();
      },
    });
    insistStopped(asked, model);
    assert.ok(!asked.answer.body.toString().includes("unpaid"));
  });
}

const SEARCH = { tools: [{ type: "web_search_20250305", name: "web_search" }] };

function search(index: number): Buffer[] {
  const block = { type: "server_tool_use", id: `srvtoolu_${index}`, name: "web_search", input: {} };
  return [
    sseEvent({ type: "content_block_start", index, content_block: block }, "content_block_start"),
    sseEvent({ type: "content_block_stop", index }, "content_block_stop"),
  ];
}

const [START] = anthropicStream({ blocks: [], startUsage: { input_tokens: 8, output_tokens: 1 } });

/** Paid for by the balance, but for no more than some hundred tokens beside them. */
const SEARCHES = 10;

test("an upstream that searches beyond what was asked for is stopped when the balance cannot pay that, though its words are paid for", async () => {
  const asked = await ask({
    caller: "anthropic",
    model: "anthropic",
    body: SEARCH,
    async say(exchange) {
      await exchange.send(START as Buffer);
      // Their names come to fewer tokens than the hold covers.
      for (let index = 0; index < 2 * SEARCHES; index++) await exchange.sendAll(search(index));
      await exchange.hang();
    },
  });
  insistStopped(asked, "anthropic");
  const calls = asked.answer.body.toString().split('"srvtoolu_').length - 1;
  assert.equal(calls, 2 * SEARCHES);
  // What was done before the upstream could be stopped is charged within the hold, and the rest is
  // the operator's loss.
  assert.ok(
    asked.receipt.chargedNano + BigInt(String(asked.receipt.detail["lossNano"])) >=
      BigInt(calls) * SEARCH_NANO,
  );
});

test("searches beyond what was asked for go on as long as the balance pays what was delivered, though not what the estimate would hold", async () => {
  const customer = await scene.customer({ roubles: ROUBLES });
  const play = scene.play(async (exchange) => {
    await exchange.send(START as Buffer);
    for (let index = 0; index < SEARCHES; index++) await exchange.sendAll(search(index));
    await until(
      "the searches are held",
      async () => (await scene.money(customer.accountId)).held >= BigInt(SEARCHES) * SEARCH_NANO,
    );
    const end = anthropicStream({
      blocks: [{ type: "text", pieces: ["Found."] }],
      usage: { input_tokens: 8, output_tokens: 9 },
    });
    await exchange.sendAll(end.slice(1));
    exchange.end();
  });
  const body = {
    model: "anthropic",
    stream: true,
    max_tokens: 8000,
    messages: [{ role: "user", content: "Hello" }],
    metadata: { user_id: play.user },
  };
  const answer = await postChat(
    scene.gateway.url,
    customer.secret,
    { ...body, ...SEARCH },
    CALLER_PATHS.anthropic,
  ).answer;
  assert.match(answer.body.toString(), /"stop_reason":"end_turn"/);
  const receipt = await scene.receipt(answer.requestId);
  // 8 × 150 and 9 × 6,000 for a million, and the searches.
  assert.deepEqual(
    [receipt.state, receipt.chargedNano, receipt.detail["lossNano"]],
    ["completed", BigInt(SEARCHES) * SEARCH_NANO + 55_200_000n, "0"],
  );
});

test("the books agree after all of this", () => scene.verifyBooks());
