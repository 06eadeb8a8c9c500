/**
 * Guarantee: a stream whose process was judged dead is broken off within seconds, also while its
 * upstream says nothing: what comes after that could not be charged.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Uuid } from "../../src/kernel/ids.ts";
import { callsCatalogue, COMPLETION_PIECE } from "../calls/calls-catalogue.ts";
import { judgeDead } from "../ledger/journal-world.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";

const messages = [{ role: "user", content: "count" }];
/** The role and one piece. */
const BEGINNING = openAiStream({ pieces: [" one", " two"] }).slice(0, 2);
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
    pieces: [COMPLETION_PIECE],
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

test("streams that have just begun, and whose upstream falls silent", async () => {
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
      return { name, exchange, asked: played.requests[0] };
    }),
  );
  const journals = await scene.db.query<{ id: Uuid }>(
    "SELECT journal_id AS id FROM ledger.journals",
  );
  for (const { id } of journals) await scene.db.transaction((tx) => judgeDead(tx, id));

  for (const { name, exchange, asked } of visits) {
    const { broken, body } = await exchange.answer;
    const text = body.toString();
    assert.ok(broken && text.includes('"error"') && !text.includes("[DONE]"), `${name}: ${text}`);
    assert.ok(asked !== undefined, name);
    await asked.aborted;
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
