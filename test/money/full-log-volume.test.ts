/**
 * Guarantee: where the volume of PostgreSQL's own log (WAL) is full, the server ends and comes back
 * as long as there is no room; callers are refused in their protocol and not charged, a stream that
 * runs is settled once, and with room the same gateway goes on (hazards §306).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { openDatabase } from "../../src/db/database.ts";
import { startGateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { createGate, startScriptedUpstream } from "../support/scripted-upstream.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { startSupervisedCluster } from "../support/supervised-cluster.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds, totals } from "./books.ts";
import { INPUT_TOKEN_NANO, moneyCatalogue, OUTPUT_TOKEN_NANO } from "./money-catalogue.ts";

const DISK_MEGABYTES = 96;
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const PRICE = 3n * INPUT_TOKEN_NANO + 2n * OUTPUT_TOKEN_NANO;
const MESSAGES = [{ role: "user", content: "hello" }];
const CHAT = { model: "talk", max_tokens: 10, messages: MESSAGES };
const RESPONSE = { model: "talk", max_output_tokens: 10, input: "hello", store: false };
const REFUSALS_EACH = 3;
const MOST_WAITING = 40;
const PATIENCE_MS = 60_000;
/** Of the server's log, at once. */
const PIECE_BYTES = 4_000_000;
const MOST_PIECES = 100;

/** Writes to the server's log, and nowhere else, until the server can take no more of it. */
async function writeUntilFull(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    for (let piece = 0; piece < MOST_PIECES; piece++)
      await client.query("SELECT pg_logical_emit_message(false, 'filler', repeat('x', $1))", [
        PIECE_BYTES,
      ]);
  } catch {
    return;
  } finally {
    void client.end().catch(() => undefined);
  }
  throw new Error("its log found room for everything");
}

test(
  "a full log volume: refused, not charged, and on again with room",
  { timeout: 110_000 },
  async (t) => {
    const disk = openSmallDisk(t, DISK_MEGABYTES);
    if (disk === null) return;
    const gate = createGate();
    const upstream = await startScriptedUpstream(async (exchange) => {
      if ((exchange.request.json() as { stream?: boolean }).stream !== true)
        return exchange.json(200, openAiCompletion({ pieces: ["hello"], usage: USAGE }));
      const events = openAiStream({ pieces: ["hel", "lo"], usage: USAGE });
      await exchange.sendAll(events.slice(0, 2));
      await gate.wait;
      await exchange.sendAll(events.slice(2));
      exchange.end();
    });
    const cluster = await startSupervisedCluster(disk.path);
    const ends = [() => upstream.close(), () => cluster.stop()];
    t.after(async () => {
      disk.makeRoom();
      gate.open();
      // Whatever fails, the rest is ended, too.
      const failures: unknown[] = [];
      for (const end of ends) await end().catch((error: unknown) => failures.push(error));
      assert.deepEqual(failures, []);
    });
    const gateway = await startGateway({
      databaseUrl: cluster.url,
      catalogue: moneyCatalogue(upstream.url),
      env: { SCRIPTED_API_KEY: "x" },
    });
    ends.unshift(() => gateway.stop());
    const db = openDatabase({
      url: cluster.url,
      poolSize: 2,
      applicationName: "test",
      onError: () => undefined,
    });
    ends.unshift(() => db.close());
    const accountId = await newAccount(db, "1000");
    const { secret } = await newKey(db, accountId);
    let answered = 0;
    async function ask(body: object, path: string): Promise<ChatAnswer> {
      const answer = await postChat(gateway.url, secret, body, path).answer;
      if (answer.status === 200) answered += 1;
      return answer;
    }
    const chat = () => ask(CHAT, "/v1/chat/completions");
    const response = () => ask(RESPONSE, "/v1/responses");
    const ready = async () => (await fetch(`${gateway.url}/readyz`)).status;
    assert.deepEqual([(await chat()).status, (await response()).status], [200, 200]);
    const streamed = postChat(gateway.url, secret, {
      ...CHAT,
      stream: true,
      stream_options: { include_usage: true },
    });
    await streamed.seen("hel");

    disk.fill();
    const refused = { chat: 0, response: 0 };
    let unready = false;
    // Whether the server comes back in between or not, it can take nothing. Who was let in before
    // that was known waits for it.
    const waiting = new Set<Promise<void>>();
    const failures: unknown[] = [];
    async function insistRefused(name: keyof typeof refused): Promise<void> {
      const { status, body, headers } = await (name === "chat" ? chat() : response());
      if (status === 200) return;
      assert.equal(status, 503, body.toString());
      const { error } = JSON.parse(body.toString()) as { error: Record<string, unknown> };
      assert.equal(error["code"], "overloaded");
      assert.ok(Number(headers["retry-after"]) >= 1, "it says when to come again");
      refused[name] += 1;
    }
    await until(
      "callers of both protocols are refused",
      async () => {
        if (!unready) await writeUntilFull(cluster.url).catch(() => undefined);
        unready ||= (await ready()) === 503;
        for (const name of ["chat", "response"] as const) {
          if (waiting.size >= MOST_WAITING) break;
          const asked = insistRefused(name).catch((error: unknown) => void failures.push(error));
          waiting.add(asked);
          void asked.then(() => waiting.delete(asked));
        }
        assert.deepEqual(failures, []);
        return unready && Math.min(refused.chat, refused.response) >= REFUSALS_EACH;
      },
      PATIENCE_MS,
    );

    disk.makeRoom();
    await until("it is ready again, without a restart", async () => (await ready()) === 200);
    gate.open();
    await Promise.all(waiting);
    assert.deepEqual(failures, []);
    const end = await streamed.answer;
    assert.deepEqual([end.status, end.broken], [200, false], end.body.toString());
    assert.match(end.body.toString(), /\[DONE\]/);
    assert.equal(await until("chats are answered", async () => (await chat()).status), 200);
    await until("nothing is held", async () => (await liveHolds(db)).length === 0);
    const charges = (await endings(db, accountId)).filter(({ kind }) => kind === "charge");
    for (const { chargedNano, receiptNano } of charges)
      assert.deepEqual([chargedNano, receiptNano], [PRICE, PRICE]);
    // What was answered with 200 is charged once, and nothing else is.
    assert.equal(charges.length, answered + 1);
    const { chargedNano, receiptsNano } = await totals(db, accountId);
    assert.deepEqual(
      [chargedNano, receiptsNano],
      [PRICE * BigInt(charges.length), PRICE * BigInt(charges.length)],
    );
    await createTollgateCommand({ DATABASE_URL: cluster.url }).verifyLedger();
    t.diagnostic(
      `the server ended ${cluster.crashes} times; ${refused.chat} chats and ${refused.response} responses were refused`,
    );
  },
);
