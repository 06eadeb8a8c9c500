/**
 * Guarantee: what a group of keys may do is asked of every request of its keys: when the command
 * that changed it has returned, the next request to any process is judged by it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  changeAccountGroup,
  setAccountGroupFrozen,
} from "../../src/business/panel/account/change-account-group.ts";
import { changeAccountKey } from "../../src/business/panel/account/change-account-key.ts";
import { createAccountGroup } from "../../src/business/panel/account/create-account-group.ts";
import { deleteAccountGroup } from "../../src/business/panel/account/delete-account-group.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { nano } from "../../src/kernel/money.ts";
import { budgetState } from "../../src/ledger/budgets.store.ts";
import { openChatScene, standardPrice, type ChatScene } from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";

let scene: ChatScene;
let gateways: readonly Gateway[];
before(async () => {
  scene = await openChatScene();
  gateways = [scene.gateway, await scene.anotherGateway()];
});
after(() => scene.close());

const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
const COST = standardPrice({ input: 17, output: 9 });

test("both processes know at once: the limit, whether it is switched on, which group a key is in, and that there is none any more", async () => {
  const { accountId, secret, key } = await scene.customer();
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: ["ё"], usage: USAGE }));
    exchange.end();
  });
  let served = 0;
  /** Of each process: the status and the code, by the answer to the very next request. */
  const askBoth = async (model = "standard") =>
    Promise.all(
      gateways.map(async ({ url }) => {
        const messages = [{ role: "user", content: "?" }];
        const body = { model, messages, user: play.user, stream: true };
        const answer = await postChat(url, secret, body).answer;
        if (answer.status === 200) served += 1;
        const text = answer.body.toString();
        const code =
          answer.status === 200
            ? null
            : (JSON.parse(text) as { error: { code: string; message: string } }).error;
        return [answer.status, code?.code ?? null, /group/.test(code?.message ?? "")];
      }),
    );
  const both = (...answer: unknown[]) => [answer, answer];
  const newGroup = async (limitNano: bigint | null) =>
    (
      await createAccountGroup(scene.db, {
        accountId,
        name: "Отдел",
        limit: limitNano === null ? null : { amountNano: nano(limitNano), period: "total" },
        models: null,
        once: null,
      })
    ).id;
  const moveTo = (groupId: string | null) =>
    changeAccountKey(scene.db, systemClock, accountId, key.hash, { groupId });
  const spentIn = async (groupId: string) => {
    await scene.receipts(accountId, served);
    const state = (await budgetState(scene.db, [groupId])).get(groupId);
    return [state?.chargedNano, state?.heldNano];
  };

  assert.deepEqual(await askBoth(), both(200, null, false), "and both remember the key");
  const [groupId, poor] = [await newGroup(null), await newGroup(1n)];
  await moveTo(groupId);
  assert.deepEqual(await askBoth(), both(200, null, false));
  assert.deepEqual(await spentIn(groupId), [2n * COST, 0n]);

  await setAccountGroupFrozen(scene.db, { accountId, groupId }, true);
  assert.deepEqual(await askBoth(), both(403, "permission_denied", true));
  await setAccountGroupFrozen(scene.db, { accountId, groupId }, false);
  assert.deepEqual(await askBoth(), both(200, null, false));

  const limit = { amountNano: nano(1n), period: "month" } as const;
  await changeAccountGroup(scene.db, { accountId, groupId }, { limit });
  assert.deepEqual(await askBoth(), both(402, "group_limit_exceeded", true));
  await changeAccountGroup(scene.db, { accountId, groupId }, { limit: null });
  assert.deepEqual(await askBoth(), both(200, null, false));

  await moveTo(poor);
  assert.deepEqual(await askBoth(), both(402, "group_limit_exceeded", true));
  await moveTo(null);
  assert.deepEqual(await askBoth(), both(200, null, false));
  await moveTo(poor);
  await deleteAccountGroup(scene.db, { accountId, groupId: poor });
  assert.deepEqual(await askBoth(), both(200, null, false), "it goes on in none");

  assert.deepEqual(await spentIn(groupId), [6n * COST, 0n]);
  assert.deepEqual(await spentIn(poor), [0n, 0n]);

  await moveTo(groupId);
  await changeAccountGroup(scene.db, { accountId, groupId }, { models: ["drained"] });
  await until("both have heard which models its keys may call", async () => {
    const answers = await askBoth();
    return answers.every(([status]) => status === 403);
  });
  assert.deepEqual(await askBoth(), both(403, "permission_denied", true));
  assert.deepEqual(await askBoth("drained"), both(200, null, false));
  for (const { url } of gateways) {
    const headers = { authorization: `Bearer ${secret}` };
    const { data } = (await (await fetch(`${url}/v1/models`, { headers })).json()) as {
      data: { id: string }[];
    };
    assert.deepEqual(
      data.map(({ id }) => id),
      ["drained"],
    );
    const { group } = (await (await fetch(`${url}/v1/key`, { headers })).json()) as {
      group: unknown;
    };
    assert.deepEqual(group, { models: ["drained"], limit: null });
  }
});
