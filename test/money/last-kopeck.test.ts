/**
 * Guarantee: a stream that the balance stops leaves at most 2 % of what was there, the price of 64
 * tokens, or the one chunk that could not be paid (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { countTokens } from "../../sandbox/count-tokens.ts";
import { openChatScene, standardPrice, type ChatScene } from "../support/chat-scene.ts";
import { anthropicStream } from "../support/anthropic-stream.ts";
import { openAiChunk } from "../support/openai-stream.ts";
import { askPair, pairName, PAIRS, PROTOCOLS, type Protocol } from "../support/protocol-pairs.ts";
import { responsesStream } from "../support/responses-stream.ts";
import type { Exchange } from "../support/scripted-upstream.ts";
import { tokenCorpora } from "../support/token-corpora.ts";

const NANO = 1_000_000_000n;

const corpus = (name: RegExp): string => {
  const found = tokenCorpora().find((each) => name.test(each.name));
  assert.ok(found !== undefined, String(name));
  return found.text;
};

/** What the upstream says, over and over. */
const TEXTS = {
  "long words":
    "internationalization responsibilities characteristically misunderstanding telecommunications ",
  "short words": "it is as if we do go on to it or by us at no ",
  Cyrillic: `${corpus(/Russian news/).trim()} `,
  code: `${corpus(/TypeScript/).trim()}\n`,
} as const;

/**
 * In chunks of some tokens each, as vendors send them: more in each where there is much to say, but
 * never near as much as the 2 % that may be left.
 */
function chunksOf(text: string, roubles: number): readonly string[] {
  const words = text.match(/\s*\S{1,12}/gu) ?? [];
  const together = { 1: 1, 4: 3, 50: 36 }[roubles] ?? 1;
  return Array.from({ length: Math.ceil(words.length / together) }, (_, at) =>
    words.slice(at * together, (at + 1) * together).join(""),
  );
}

/** Longer answers than 50 roubles pay for. */
function catalogue(upstreamUrl: string): string {
  const price = `{ input: "150", cachedInput: "15", cacheWrite5m: "187.5", cacheWrite1h: "300", output: "600" }`;
  const upstream = (protocol: Protocol): string =>
    `  ${protocol}-upstream: { protocol: ${protocol}, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000 }\n`;
  const model = (protocol: Protocol): string =>
    `  over-${protocol}: { type: chat, endpoints: [chat.completions, messages], contextTokens: 400000, maxOutputTokens: 200000,` +
    ` price: ${price}, routes: [{ upstream: ${protocol}-upstream, model: echo-large }] }\n`;
  return `upstreams:\n${PROTOCOLS.map(upstream).join("")}models:\n${PROTOCOLS.map(model).join("")}`;
}

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue });
});
after(() => scene.close());

const CONTENT = "Tell me all that you know. ".repeat(40);
const START_USAGE = { input_tokens: 247, output_tokens: 1 };

const EMPTY = Buffer.alloc(0);
const SAYING = responsesStream({ items: [{ type: "message", pieces: [""] }] });

/** What comes before the first word, and the event of a word. */
const SPEAKERS: Readonly<
  Record<Protocol, { readonly head: readonly Buffer[]; readonly event: (text: string) => Buffer }>
> = {
  openai: {
    head: [],
    event: (content) => openAiChunk({}, [{ index: 0, delta: { content }, finish_reason: null }]),
  },
  anthropic: {
    head: anthropicStream({
      blocks: [{ type: "text", pieces: [] }],
      startUsage: START_USAGE,
    }).slice(0, 2),
    event: (text) =>
      anthropicStream({
        blocks: [{ type: "text", pieces: [text] }],
        startUsage: START_USAGE,
      }).at(2) ?? EMPTY,
  },
  responses: {
    head: SAYING.slice(0, 4),
    event: (text) =>
      responsesStream({ items: [{ type: "message", pieces: [text] }] }).at(4) ?? EMPTY,
  },
};

/** Talks until it is stopped. */
function endless(
  upstream: Protocol,
  chunks: readonly string[],
): (exchange: Exchange) => Promise<void> {
  const { head, event } = SPEAKERS[upstream];
  const events = chunks.map(event);
  return async (exchange) => {
    if (head.length > 0) await exchange.sendAll(head);
    for (let round = 0; round < 100_000; round++) if (!(await exchange.sendAll(events))) return;
    assert.fail("nobody stopped the upstream");
  };
}

/** The table: run the file by itself to see it. */
const rows: string[] = [];
after(() => console.log(`left of a stopped stream, in roubles\n${rows.toSorted().join("\n")}`));

suite("what a stopped stream leaves", { concurrency: 3, timeout: 300_000 }, () => {
  for (const pair of PAIRS) {
    for (const [kind, text] of Object.entries(TEXTS)) {
      for (const roubles of [1, 4, 50]) {
        test(`${pairName(pair)}: ${roubles} RUB, ${kind}`, async () => {
          const chunks = chunksOf(text, roubles);
          const customer = await scene.customer({ roubles: String(roubles) });
          const { user } = scene.play(endless(pair.upstream, chunks));
          const question = { content: CONTENT, user, stream: true, maxTokens: 200_000 };
          const answer = await askPair(scene, customer.secret, pair, question).answer;
          assert.equal(answer.status, 200);
          const receipt = await scene.receipt(answer.requestId);
          const { charged, held, available } = await scene.money(customer.accountId);
          rows.push(
            `${pairName(pair)} | ${roubles} | ${kind} | ${(Number(available) / 1e9).toFixed(4)}`,
          );
          assert.deepEqual(
            [receipt.state, charged, held],
            ["stopped_by_balance", receipt.chargedNano, 0n],
          );
          assert.ok(available >= 0n);
          const dearestChunk = Math.max(...chunks.map(countTokens)) + 1;
          const most = [
            (BigInt(roubles) * NANO) / 50n,
            standardPrice({ input: 0, output: 64 }),
            standardPrice({ input: 0, output: dearestChunk }),
          ].reduce((a, b) => (a > b ? a : b));
          assert.ok(
            available <= most,
            `${available} is left of ${BigInt(roubles) * NANO}, ${most} may be`,
          );
        });
      }
    }
  }
});
