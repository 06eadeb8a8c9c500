/**
 * Guarantee: an open stream keeps its prompt once. Thousands of them are open for minutes, and
 * prompts are long.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { anthropicStream } from "../support/anthropic-stream.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openGatewayWithin, type GatewayWithin } from "../support/gateway-within.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiStream } from "../support/openai-stream.ts";
import {
  CALLER_PATHS,
  pairName,
  pairsCatalogue,
  type Caller,
  type Pair,
} from "../support/protocol-pairs.ts";
import { responsesStream } from "../support/responses-stream.ts";

const STREAMS = 200;
/** A protocol that is passed on, one that is translated, and Responses. */
const PAIRS: readonly Pair[] = [
  { caller: "openai", upstream: "openai" },
  { caller: "anthropic", upstream: "openai" },
  { caller: "responses", upstream: "responses" },
];
/** The longer one is short enough to be counted when the first words of its answer are saved. */
const SHORT_BYTES = 100;
const LONG_BYTES = 14_000;
/** What is still open has saved its first words, paused and counted its prompt by then. */
const COUNTED_MS = 2_500;
const WORDS = "a few words";

/** The streams of an upstream up to the first words, by its path. */
const BEGINNINGS = new Map(
  Object.entries({
    "/v1/chat/completions": openAiStream({ pieces: [WORDS] }),
    "/v1/messages": anthropicStream({ blocks: [{ type: "text", pieces: [WORDS] }] }),
    "/v1/responses": responsesStream({ items: [{ type: "message", pieces: [WORDS] }] }),
  }).map(([path, events]) => {
    const first = events.findIndex((event) => event.includes(WORDS));
    return [path, Buffer.concat(events.slice(0, first + 1))];
  }),
);

setFlagsFromString("--expose-gc");
// Compiled code that goes at some collection would count as memory of streams.
setFlagsFromString("--no-flush-bytecode");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use, of V8's heap and of buffers, when all is collected that can be. */
async function inUse(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect();
    await sleep(20);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function bodyOf({ caller, upstream }: Pair, content: string): string {
  const messages = [{ role: "user", content }];
  const asked: Readonly<Record<Caller, object>> = {
    openai: { messages, max_tokens: 10 },
    anthropic: { messages, max_tokens: 10 },
    responses: { input: messages, max_output_tokens: 16, store: false },
  };
  return JSON.stringify({ model: `over-${upstream}`, stream: true, ...asked[caller] });
}

suite("the memory of open streams", () => {
  let database: TestDatabase;
  let gateway: GatewayWithin;
  let secret: string;
  const upstream = createServer((request, response) => {
    request.resume().once("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(BEGINNINGS.get(request.url ?? ""));
    });
  });

  before(async () => {
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const { port } = upstream.address() as AddressInfo;
    database = await testDatabase();
    gateway = await openGatewayWithin({
      database,
      env: { UPSTREAM_KEY: "x" },
      catalogue: pairsCatalogue(`http://127.0.0.1:${port}`),
    });
    ({ secret } = await newKey(database.db, await newAccount(database.db, "100000")));
  });
  after(async () => {
    upstream.closeAllConnections();
    upstream.close();
    await gateway.stop();
    await database.drop();
  });

  /** Resolves when the first words have come. */
  async function open(request: Buffer): Promise<Socket> {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.write(request);
    const answer = socket[Symbol.asyncIterator]();
    for (let heard = ""; !heard.includes(WORDS);) {
      const { value, done } = await answer.next();
      assert.notEqual(done, true, heard);
      heard += String(value);
    }
    return socket;
  }

  /** How many bytes each of so many streams takes whose prompt has so many. */
  async function takenByEach(pair: Pair, promptBytes: number): Promise<number> {
    const body = bodyOf(pair, "word ".repeat(promptBytes / 5));
    const request = Buffer.from(
      `POST ${CALLER_PATHS[pair.caller]} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${secret}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const nothingOpen = await inUse();
    const sockets: Socket[] = [];
    for (let i = 0; i < STREAMS; i++) sockets.push(await open(request));
    await sleep(COUNTED_MS);
    const each = ((await inUse()) - nothingOpen) / STREAMS;
    for (const socket of sockets) socket.destroy();
    await sleep(200);
    return each;
  }

  for (const pair of PAIRS)
    test(`what a longer prompt adds to a stream is its bytes, once: ${pairName(pair)}`, async () => {
      // What is made once for all is made before.
      await takenByEach(pair, SHORT_BYTES);
      const short = await takenByEach(pair, SHORT_BYTES);
      const long = await takenByEach(pair, LONG_BYTES);
      const copies = (long - short) / (LONG_BYTES - SHORT_BYTES);
      assert.ok(copies > 0.5 && copies < 1.6, `${copies.toFixed(2)} copies`);
    });
});
