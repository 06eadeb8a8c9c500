/**
 * Guarantee: a stream whose process was judged dead is broken off within seconds, also while its
 * upstream says nothing: what comes after that could not be charged.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fenceJournal } from "../../src/ledger/journals.store.ts";
import { callsCatalogue } from "../calls/calls-catalogue.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";

const messages = [{ role: "user", content: "count" }];
/** The role and one piece. */
const BEGINNING = openAiStream({ pieces: [" one", " two"] }).slice(0, 2);
const PIECE = `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, text: " one", finish_reason: null }] })}\n\n`;
const STREAMS = [
  {
    name: "a chat",
    path: "/v1/chat/completions",
    body: { model: "talk", stream: true, messages },
    pieces: BEGINNING,
  },
  {
    name: "a call",
    path: "/v1/completions",
    body: { model: "complete", stream: true, prompt: "count", max_tokens: 50 },
    pieces: [PIECE],
  },
] as const;

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: callsCatalogue });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
});

/** As another process does it with one that stood still. */
async function judgeDead(): Promise<void> {
  await scene.db.transaction(async (tx) => {
    const journals = await tx.query<{ id: string }>(
      "UPDATE ledger.journals SET alive_until = clock_timestamp() RETURNING journal_id AS id",
    );
    for (const { id } of journals) assert.equal(await fenceJournal(tx, id), "fenced");
  });
}

test("streams of which nothing is noted yet, and whose upstream falls silent", async () => {
  const visits = await Promise.all(
    STREAMS.map(async ({ name, path, body, pieces }) => {
      const customer = await scene.customer();
      const played = scene.play(async (exchange) => {
        await exchange.sendAll(pieces);
        await exchange.hang();
      });
      const asked = { ...body, user: played.user };
      const exchange = postChat(scene.gateway.url, customer.secret, asked, path);
      await exchange.seen(" one");
      return { name, customer, exchange, played };
    }),
  );
  await judgeDead();

  for (const { name, exchange, played } of visits) {
    const { broken, body } = await exchange.answer;
    const text = body.toString();
    assert.ok(broken && text.includes('"error"') && !text.includes("[DONE]"), `${name}: ${text}`);
    await until(
      `${name}: its upstream is let go`,
      async () => played.requests[0]?.abortedAt !== null,
    );
  }
  // The process goes on, as another one.
  const customer = await scene.customer();
  const played = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: [" one"] }));
    exchange.end();
  });
  const body = { ...STREAMS[0].body, user: played.user };
  const { status } = await postChat(scene.gateway.url, customer.secret, body).answer;
  assert.equal(status, 200);
});
