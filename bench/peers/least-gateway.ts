/**
 * The least of a gateway that charges, in straight lines and for one case only: a whole answer of
 * Chat Completions that comes right. It knows the key by its hash, reads the request strictly, counts
 * what it may cost, reads the answer's usage, puts the model's own name in, names the request and
 * writes a line of the log. It has no routes, retries, limits, holds, streams, receipts or metrics.
 * With a folder for a database it commits each charge before it answers (`least-journal.ts`). What a
 * real one costs above it is its structure; what it costs above the bare proxy, any gateway that charges
 * costs.
 * Prints its port on standard error.
 */
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Pool, type Dispatcher } from "undici";
import { formatRequestId, newUuid } from "../../src/kernel/ids.ts";
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../src/kernel/limits.ts";
import { formatRoubles, nano, type Nano } from "../../src/kernel/money.ts";
import { createLog } from "../../src/log/log.ts";
import { openStandardOutput } from "../../src/log/standard-output.ts";
import { estimateCentitokens } from "../../src/protocol/estimate-tokens.ts";
import { renameModel } from "../../src/protocol/json/rename-model.ts";
import { scanObject } from "../../src/protocol/json/scan-object.ts";
import { openLeastJournal } from "./least-journal.ts";

interface Customer {
  readonly keyHash: string;
  spentNano: bigint;
}

interface Begun {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly customer: Customer;
  readonly model: string;
  readonly startedMs: number;
}

interface Done {
  readonly begun: Begun;
  readonly body: Buffer;
  readonly input: number;
  readonly output: number;
  readonly chargedNano: Nano;
}

const MEMBERS = ["model", "stream", "max_tokens", "messages", "n"];
const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };
const CENTITOKEN_NANO = 1_500n;
const INPUT_NANO = 150_000n;
const OUTPUT_NANO = 600_000n;

const FREE_NANO = 1_000_000_000_000_000_000n;

const [, , origin, dataDir] = process.argv;
if (origin === undefined) throw new Error("usage: least-gateway.ts ORIGIN [DATA_DIR]");
const journal = dataDir === undefined ? null : await openLeastJournal(dataDir);
const pool = new Pool(origin, {
  connections: 8192,
  pipelining: 1,
  headersTimeout: 600_000,
  bodyTimeout: 600_000,
});
const log = createLog("info", openStandardOutput().write);
const customers = new Map<string, Customer>();

function customerOf({ headers }: IncomingMessage): Customer {
  const keyHash = hash("sha256", (headers.authorization ?? "").slice("Bearer ".length));
  let customer = customers.get(keyHash);
  if (customer === undefined) {
    customer = { keyHash, spentNano: 0n };
    customers.set(keyHash, customer);
  }
  return customer;
}

/** What it may cost; null where the body is not what it has to be. */
function read(body: Buffer): { readonly model: string; readonly mostNano: bigint } | null {
  if (!isUtf8(body) || scanObject(body, MEMBERS, BOUNDS) === null) return null;
  const asked = JSON.parse(body.toString()) as {
    readonly model: string;
    readonly max_tokens: number;
    readonly messages: readonly { readonly content: string }[];
  };
  let centitokens = 0;
  for (const { content } of asked.messages) centitokens += estimateCentitokens(content);
  const mostNano = BigInt(centitokens) * CENTITOKEN_NANO + BigInt(asked.max_tokens) * OUTPUT_NANO;
  return { model: asked.model, mostNano };
}

function answer(begun: Begun, body: Buffer): void {
  const { requestId, customer, model, startedMs } = begun;
  const { usage } = JSON.parse(body.toString()) as {
    readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  };
  const { prompt_tokens: input, completion_tokens: output } = usage;
  const chargedNano = nano(BigInt(input) * INPUT_NANO + BigInt(output) * OUTPUT_NANO);
  customer.spentNano += chargedNano;
  const done: Done = { begun, body, input, output, chargedNano };
  if (journal === null) return send(done);
  const { keyHash } = customer;
  const fields = [requestId, keyHash, model, input, output, String(chargedNano), startedMs];
  journal.end(JSON.stringify(fields), () => send(done));
}

function send({ begun, body, input, output, chargedNano }: Done): void {
  const { response, requestId, model, startedMs } = begun;
  const named = renameModel(body, model);
  const charged = formatRoubles(chargedNano);
  const ids = ["x-request-id", requestId, "request-id", requestId];
  const about = ["content-type", "application/json", "x-tollgate-cost", charged];
  response.writeHead(200, [...ids, ...about, "content-length", String(named.length)]);
  response.end(named.toString("latin1"), "latin1");
  const ms = Math.round((performance.now() - startedMs) * 10) / 10;
  log.info({ requestId, status: 200, ms, model, input, output, charged }, "request");
}

function handlerOf(begun: Begun): Dispatcher.DispatchHandler {
  const pieces: Buffer[] = [];
  return {
    onRequestStart() {},
    onResponseStart() {},
    onResponseData: (_controller, piece) => void pieces.push(piece),
    onResponseEnd() {
      const [first = Buffer.alloc(0)] = pieces;
      answer(begun, pieces.length === 1 ? first : Buffer.concat(pieces));
    },
    onResponseError: () => void begun.response.writeHead(502).end(),
  };
}

function ask(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const startedMs = performance.now();
  const customer = customerOf(request);
  const asked = read(body);
  if (asked === null) return void response.writeHead(400).end();
  if (customer.spentNano + asked.mostNano > FREE_NANO) return void response.writeHead(402).end();
  const { model } = asked;
  const begun = { response, requestId: formatRequestId(newUuid()), customer, model, startedMs };
  const headers = { "content-type": "application/json", authorization: "Bearer sk-upstream" };
  pool.dispatch({ path: request.url ?? "/", method: "POST", headers, body }, handlerOf(begun));
}

const server = createServer((request, response) => {
  if (request.method === "GET") return void response.end("alive");
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const [first = Buffer.alloc(0)] = pieces;
    ask(request, response, pieces.length === 1 ? first : Buffer.concat(pieces));
  });
});
server.listen(0, "127.0.0.1", 4096, () => {
  const address = server.address();
  if (address !== null && typeof address !== "string")
    console.error(JSON.stringify({ port: address.port }));
});
