/**
 * Guarantee: a whole answer is waited for so long and no longer; its caller hears of it in OpenAI's
 * form, a call is let go and costs nothing, a task goes on, is named and is charged once.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openGatewayWithin, type GatewayWithin } from "../support/gateway-within.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import {
  startScriptedUpstream,
  type Exchange,
  type ScriptedUpstream,
} from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { mediaCatalogue, mediaKinds } from "./media-kinds.ts";

/** In place of 280 seconds. */
const ANSWER_WAIT_MS = 400;
const TASK_MODEL = "nano-banana-2";

let database: TestDatabase;
let sandbox: Sandbox;
let upstream: ScriptedUpstream;
let gateway: GatewayWithin;
let folder: string;
let say: (exchange: Exchange) => Promise<void>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "answer-deadline-"));
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", media: { queueMs: 10, runMs: 10 } });
  upstream = await startScriptedUpstream((exchange) => say(exchange));
  database = await testDatabase();
  const shipped = await readFile(new URL("../../catalogue.yaml", import.meta.url), "utf8");
  const { upstreams, models } = partsOf(mediaCatalogue(upstream.url));
  gateway = await openGatewayWithin({
    database,
    catalogue: shipped
      .replace(/^upstreams:.*\n/m, (line) => `${line}${upstreams}`)
      .replace(/^models:.*\n/m, (line) => `${line}${models}`),
    answerWaitMs: ANSWER_WAIT_MS,
    env: {
      UPSTREAM_KEY: "sk-operators-own-0123456789abcdef",
      SANDBOX_URL: sandbox.url,
      SANDBOX_API_KEY: "sandbox",
      FETCH_ALLOW: "127.0.0.0/8",
      STORAGE_URL: `file:${join(folder, "files")}`,
    },
  });
});
after(async () => {
  assert.deepEqual((await verifyLedger(database.db)).mismatches, []);
  await gateway.stop();
  await upstream.close();
  await database.drop();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

function partsOf(catalogue: string): { readonly upstreams: string; readonly models: string } {
  const [, upstreams = "", models = ""] =
    /^\s*upstreams:\n([^]*?\n)models:\n([^]*)$/.exec(catalogue) ?? [];
  return { upstreams, models };
}

interface Customer {
  readonly secret: string;
  money(): Promise<{ readonly charged: bigint; readonly held: bigint }>;
}

async function customer(): Promise<Customer> {
  const accountId = await newAccount(database.db, "1000");
  const { secret } = await newKey(database.db, accountId);
  return {
    secret,
    async money() {
      await postAll(database.db);
      const found = await balance(database.db, accountId);
      return { charged: found?.chargedNano ?? -1n, held: found?.heldNano ?? -1n };
    },
  };
}

interface OpenAiError {
  readonly error: { readonly code: string; readonly type: string; readonly message: string };
}
const errorOf = ({ body }: ChatAnswer): OpenAiError["error"] =>
  (JSON.parse(body.toString()) as OpenAiError).error;

for (const [what, speak] of [
  ["says nothing", async () => undefined],
  [
    "trickles",
    async (exchange: Exchange) => {
      exchange.head(200, { "content-type": "application/json" });
      await exchange.send('{"created": 1, "data": [');
    },
  ],
] as const) {
  for (const name of ["embeddings", "images", "image edits", "transcripts"]) {
    test(`${name} whose upstream ${what}: 504 in the form of OpenAI, nothing held, nothing charged, the upstream let go`, async () => {
      const kind = (await mediaKinds()).find((each) => each.name === name);
      assert.ok(kind !== undefined);
      const { secret, money } = await customer();
      const asked = Promise.withResolvers<Exchange>();
      say = async (exchange) => {
        asked.resolve(exchange);
        await speak(exchange);
        await exchange.hang();
      };
      const { path, body, contentType } = kind.request("nobody");
      const answer = await postChat(gateway.url, secret, body, path, {
        "content-type": contentType,
      }).answer;
      assert.equal(answer.status, 504, answer.body.toString());
      const { code, message } = errorOf(answer);
      assert.equal(code, "upstream_timeout");
      assert.match(message, /Nothing is charged/);
      await (
        await asked.promise
      ).request.aborted;
      assert.deepEqual(await money(), { charged: 0n, held: 0n });
    });
  }
}

test("images of a task: the 504 names it and tells clients not to order again; it goes on, and is charged once", async () => {
  const { secret, money } = await customer();
  const path = "/v1/images/generations";
  const prompt = "[[sandbox: run=3000]] A cat.";
  const body = { model: TASK_MODEL, prompt, response_format: "url" };
  const ask = (headers: Readonly<Record<string, string>> = {}): Promise<ChatAnswer> =>
    postChat(gateway.url, secret, body, path, headers).answer;
  const late = await ask();
  assert.equal(late.status, 504, late.body.toString());
  const taskId = String(late.headers["x-tollgate-task"]);
  const { code, message } = errorOf(late);
  assert.equal(code, "upstream_timeout");
  assert.ok(message.includes(taskId), message);
  assert.equal(late.headers["x-should-retry"], "false");
  const { held, charged } = await money();
  assert.ok(held > 0n, "what goes on is paid for");
  assert.equal(charged, 0n);

  const streamed = await postChat(
    gateway.url,
    secret,
    { ...body, stream: true, response_format: null },
    path,
  ).answer;
  assert.equal(streamed.status, 200);
  const streamedTask = String(streamed.headers["x-tollgate-task"]);
  assert.match(streamed.body.toString(), /"code":"upstream_timeout"/);
  assert.ok(streamed.body.includes(streamedTask), "a stream names its task, too");

  const headers = { "idempotency-key": "poster" };
  const first = await ask(headers);
  assert.equal(first.status, 504);
  assert.equal(first.headers["x-should-retry"], undefined);
  const made = await until(
    "the images of the same task",
    async () => {
      const again = await ask(headers);
      return again.status === 200 && again;
    },
    60_000,
  );
  assert.equal(made.headers["x-tollgate-task"], first.headers["x-tollgate-task"]);
  const ended = await until("all have ended", async () => {
    const now = await money();
    return now.held === 0n && now;
  });
  assert.equal(ended.charged, 3n * held);
});
