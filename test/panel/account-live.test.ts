/**
 * Guarantee: on running gateways a frozen key is refused by every process from the commit on, and a
 * stream's receipt tells how its hold grew.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseRoubles } from "../../src/kernel/money.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { formatRequestId } from "../../src/kernel/ids.ts";
import {
  freezeAccountKeys,
  setAccountKeyFrozen,
} from "../../src/business/panel/account/freeze-account-keys.ts";
import { createPriceHistory } from "../../src/business/requests/price-history.ts";
import { readAccountRequest } from "../../src/business/panel/account/read-account-request.ts";
import { readOverview } from "../../src/business/panel/account/read-overview.ts";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { rewriteEntries } from "../support/rewrite-entries.ts";
import { booksOf } from "../support/books-of.ts";

let scene: ChatScene;
let other: Gateway;
before(async () => {
  scene = await openChatScene();
  other = await scene.anotherGateway();
});
after(() => scene.close());

const MESSAGES = [{ role: "user", content: "?" }];

function chat(gateway: Gateway, { secret }: ChatCustomer, user: string) {
  return postChat(gateway.url, secret, {
    model: "standard",
    messages: MESSAGES,
    user,
    stream: true,
  }).answer;
}

test("a frozen key is refused by both running processes on the very next request, and served again when it is let go on", async () => {
  const customer = await scene.customer();
  const { accountId, key } = customer;
  const usage = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: ["ё"], usage }));
    exchange.end();
  });
  const both = [scene.gateway, other];
  for (let round = 0; round < 5; round++) {
    for (const gateway of both)
      assert.equal((await chat(gateway, customer, play.user)).status, 200);
    if (round % 2 === 0)
      await setAccountKeyFrozen(scene.db, systemClock, accountId, key.hash, true);
    else await freezeAccountKeys(scene.db, accountId);
    for (const answer of await Promise.all(
      both.map((gateway) => chat(gateway, customer, play.user)),
    )) {
      const { error } = JSON.parse(answer.body.toString()) as {
        error: { code: string; message: string };
      };
      assert.deepEqual([answer.status, error.code], [401, "invalid_api_key"]);
      assert.match(error.message, /frozen/);
    }
    await setAccountKeyFrozen(scene.db, systemClock, accountId, key.hash, false);
    for (const gateway of both)
      assert.equal((await chat(gateway, customer, play.user)).status, 200, "served again at once");
  }
  await scene.verifyBooks();
});

test("the receipt of a long stream has every step of its hold, and the overview its tokens and its charge", async () => {
  const customer = await scene.customer({ roubles: "50" });
  const usage = { prompt_tokens: 17, completion_tokens: 3000, total_tokens: 3017 };
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(
      openAiStream({ pieces: Array.from({ length: 3000 }, () => " word"), usage }),
    );
    exchange.end();
  });
  const answer = await chat(scene.gateway, customer, play.user);
  assert.equal(answer.status, 200);
  const [receipt] = await scene.receipts(customer.accountId, 1);
  assert.ok(receipt !== undefined);
  const prices = createPriceHistory(scene.db, { UPSTREAM_KEY: "x" });
  const call = { accountId: customer.accountId, id: formatRequestId(receipt.requestId) };
  const { trail, price, charged, held } = await readAccountRequest(booksOf(scene.db), prices, call);
  const kinds = trail.map(({ kind }) => kind);
  assert.deepEqual([kinds[0], ...kinds.slice(-2)], ["hold", "charge", "release"]);
  assert.ok(kinds.filter((kind) => kind === "growth").length >= 2, kinds.join(" "));
  assert.equal(trail.at(-1)?.heldAfter, "0");
  const most = trail.filter(({ kind }) => kind === "growth").at(-1)?.heldAfter;
  assert.equal(most, held);
  // The process may not have heard of the last growth when it wrote the receipt.
  await scene.db.transaction((tx) =>
    rewriteEntries(tx, async () => {
      await tx.query(
        `UPDATE ledger.entries SET detail = detail::jsonb || jsonb_build_object('raises', (detail::jsonb -> 'raises') - (-1))
         WHERE account_id = $1 AND entry_id = $2`,
        [customer.accountId, receipt.requestId],
      );
    }),
  );
  const late = await readAccountRequest(booksOf(scene.db), prices, call);
  assert.deepEqual(
    [late.held, late.trail.findLast(({ kind }) => kind === "growth")?.heldAfter],
    [held, held],
  );
  assert.ok(trail.every(({ at }, index) => index === 0 || at >= (trail[index - 1]?.at ?? "")));
  assert.deepEqual([price?.price, price?.charged], [charged, charged]);
  const { today, balance } = await readOverview(scene.db, customer.accountId);
  assert.deepEqual(
    [today.charged, today.inputTokens, today.outputTokens, today.requests],
    [charged, 17, 3000, 1],
  );
  assert.equal((parseRoubles(balance) ?? 0n) + (parseRoubles(charged) ?? 0n), 50_000_000_000n);
});
