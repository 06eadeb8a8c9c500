/**
 * Guarantee: tasks of the panel are ordered through a key of the account, held and charged as the
 * API's, and shown to no other account.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMistakeFinder } from "../../src/contract/find-mistakes.ts";
import type { PanelErrorBody } from "../../src/contract/panel/panel-error.ts";
import {
  PanelTask,
  PanelTaskCancellation,
  PanelTaskDeliveries,
  PanelTaskList,
} from "../../src/contract/panel/panel-task.ts";
import { PlaygroundTaskOrdered, PlaygroundTaskQuote } from "../../src/contract/panel/playground.ts";
import { deleteKey } from "../../src/business/keys/delete-key.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { newKey } from "../support/new-customer.ts";
import { panelMember } from "../support/panel-endpoint.ts";
import { playEnd, playStart } from "../support/play-task.ts";
import { until } from "../support/until.ts";
import {
  newPlaygroundAccount,
  openPlaygroundEndpoint,
  type PlaygroundAccount,
  type PlaygroundEndpoint,
} from "./playground-endpoint.ts";

const BODY = { prompt: "A lighthouse in a storm.", duration: 5 };
const ORDER = "/panel/api/playground/tasks/seedance-2";

let endpoint: PlaygroundEndpoint;
before(async () => {
  endpoint = await openPlaygroundEndpoint();
});
after(() => endpoint.close());

const heldBy = async (id: string): Promise<string> =>
  formatRoubles((await balance(endpoint.db, id))?.heldNano ?? (-1n as never));

async function order(
  account: PlaygroundAccount,
  headers: Readonly<Record<string, string>> = {},
  path = ORDER,
): Promise<string> {
  const answer = await endpoint.panel.ask(panelMember(account), "POST", path, BODY, {
    ...account.chosen,
    ...headers,
  });
  assert.equal(answer.status, 202, answer.text);
  const ordered = answer.json<PlaygroundTaskOrdered>();
  assert.deepEqual(createMistakeFinder(PlaygroundTaskOrdered)(ordered), []);
  return ordered.taskId;
}

test("an order is a task of the account and of the chosen key, held at the price that was quoted", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const member = panelMember(account);
  const path = "/panel/api/playground/quote/tasks/seedance-2";
  const quote = (
    await endpoint.panel.ask(member, "POST", path, BODY, account.chosen)
  ).json<PlaygroundTaskQuote>();
  assert.deepEqual(createMistakeFinder(PlaygroundTaskQuote)(quote), []);
  assert.deepEqual([quote.amount, quote.available, quote.admitted], ["40", "1000", true]);
  assert.equal(await heldBy(account.accountId), "0");

  const taskId = await order(account);
  assert.equal(await heldBy(account.accountId), "40");
  const ofApi = await endpoint.api.get(`/v1/tasks/${taskId}`, { "x-api-key": account.secret });
  assert.equal(ofApi.status, 200, "the API shows it to the key");

  const task = (
    await endpoint.panel.ask(member, "GET", `/panel/api/tasks/${taskId.toUpperCase()}`)
  ).json<PanelTask>();
  assert.deepEqual(createMistakeFinder(PanelTask)(task), []);
  const { hash, mask, name } = account.key;
  assert.deepEqual(task.key, { hash, mask, name, deleted: false });
  assert.deepEqual(task.money, { ordered: "40", held: "40", charged: "0", released: "0" });
  assert.deepEqual(
    [task.state, task.attempts, task.history.map(({ event }) => event)],
    ["queued", [], ["queued"]],
  );
});

test("what becomes of a task is told without a word of where it was made", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const member = panelMember(account);
  const done = await order(account);
  await playStart(endpoint.db, done);
  await playEnd(endpoint.db, done);
  const lost = await order(account);
  await playStart(endpoint.db, lost);
  await playEnd(endpoint.db, lost, {
    code: "provider_error",
    message: "The provider failed to make it.",
  });

  const completed = await endpoint.panel.ask(member, "GET", `/panel/api/tasks/${done}`);
  const { money, files, history, key } = completed.json<PanelTask>();
  assert.deepEqual(money, { ordered: "40", held: "0", charged: "40", released: "0" });
  assert.deepEqual(
    files.map(({ name, preview, url }) => [name, preview, url]),
    [
      [
        `${"0123456789abcdef".repeat(2)}.png`,
        "image",
        `${endpoint.api.url}/static/${"0123456789abcdef".repeat(2)}.png`,
      ],
    ],
  );
  assert.deepEqual(
    history.map(({ event }) => event),
    ["queued", "processing", "completed"],
  );
  assert.doesNotMatch(completed.text, /upstream|there-1|media/);
  assert.equal(key?.deleted, false);

  const failed = (
    await endpoint.panel.ask(member, "GET", `/panel/api/tasks/${lost}`)
  ).json<PanelTask>();
  assert.deepEqual(failed.money, { ordered: "40", held: "0", charged: "0", released: "40" });
  assert.deepEqual(failed.error, {
    code: "provider_error",
    message: "The provider failed to make it.",
  });

  const list = (
    await endpoint.panel.ask(member, "GET", "/panel/api/tasks?limit=1")
  ).json<PanelTaskList>();
  assert.deepEqual(createMistakeFinder(PanelTaskList)(list), []);
  assert.deepEqual(
    list.data.map(({ taskId }) => taskId),
    [lost],
  );
  const rest = await endpoint.panel.ask(
    member,
    "GET",
    `/panel/api/tasks?cursor=${list.nextCursor}`,
  );
  assert.deepEqual(
    rest.json<PanelTaskList>().data.map(({ taskId, cost }) => [taskId, cost]),
    [[done, { amount: "40", state: "charged" }]],
  );
  const some = await endpoint.panel.ask(
    member,
    "GET",
    "/panel/api/tasks?state=failed&model=seedance-2",
  );
  assert.deepEqual(
    some.json<PanelTaskList>().data.map(({ taskId }) => taskId),
    [lost],
  );

  const events = await endpoint.panel.ask(
    panelMember({ ...account, role: "viewer" }),
    "GET",
    `/panel/api/tasks/${done}/events`,
  );
  assert.match(events.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.deepEqual(events.text.match(/(?<=^event: ).*$/gm), ["queued", "processing", "completed"]);
});

test("a deleted key's tasks keep its name", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const taskId = await order(account);
  await deleteKey(endpoint.db, { hash: account.key.hash, accountId: account.accountId });
  const task = (
    await endpoint.panel.ask(panelMember(account), "GET", `/panel/api/tasks/${taskId}`)
  ).json<PanelTask>();
  assert.deepEqual([task.key?.hash, task.key?.deleted], [account.key.hash, true]);
});

test("whatever is no key of the account is refused before anything is held", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const stranger = await newPlaygroundAccount(endpoint.db);
  const expiresAt = new Date(Date.now() + 50);
  const expired = await newKey(endpoint.db, account.accountId, { expiresAt });
  await until("the key to expire", async () => new Date() > expiresAt);
  const gone = await newPlaygroundAccount(endpoint.db);
  await deleteKey(endpoint.db, { hash: gone.key.hash, accountId: gone.accountId });
  const refusals: [chosen: string | null, status: number, code: string, accountId?: string][] = [
    [null, 400, "invalid_request"],
    ["", 400, "invalid_request"],
    [account.secret, 400, "invalid_request"],
    [account.key.mask.replace("…", "..."), 400, "invalid_request"],
    [`${account.key.hash}0`, 400, "invalid_request"],
    [stranger.key.hash, 404, "not_found"],
    ["0".repeat(64), 404, "not_found"],
    [gone.key.hash, 404, "not_found"],
    [gone.key.hash, 403, "permission_denied", gone.accountId],
    [expired.key.hash, 403, "permission_denied"],
  ];
  const texts = new Map<number, Set<string>>();
  for (const [chosen, status, code, accountId = account.accountId] of refusals) {
    const headers = chosen === null ? {} : { "x-tollgate-key": chosen };
    for (const path of [
      ORDER,
      "/panel/api/playground/quote/tasks/seedance-2",
      "/panel/api/playground/quote/chat/completions",
    ]) {
      const answer = await endpoint.panel.ask(
        panelMember({ accountId }),
        "POST",
        path,
        BODY,
        headers,
      );
      const { error } = answer.json<PanelErrorBody>();
      assert.deepEqual(
        [answer.status, error.code],
        [status, code],
        `${chosen} at ${path}: ${answer.text}`,
      );
      assert.ok(!answer.text.includes(account.secret));
      texts.set(status, (texts.get(status) ?? new Set()).add(error.message));
    }
  }
  assert.equal(texts.get(404)?.size, 1, "a stranger's key and one that never was are one answer");
  assert.equal(await heldBy(account.accountId), "0");
  assert.equal(await heldBy(stranger.accountId), "0");
});

test("the chosen key's own limits hold", async () => {
  const models = await newPlaygroundAccount(endpoint.db, "1000", { models: ["sandbox-large"] });
  const ips = await newPlaygroundAccount(endpoint.db, "1000", { ips: ["10.0.0.0/8"] });
  const poor = await newPlaygroundAccount(endpoint.db, "10");
  for (const [account, status] of [
    [models, 403],
    [ips, 403],
    [poor, 402],
  ] as const) {
    const answer = await endpoint.panel.ask(
      panelMember(account),
      "POST",
      ORDER,
      BODY,
      account.chosen,
    );
    assert.equal(answer.status, status, answer.text);
    assert.equal(await heldBy(account.accountId), "0");
  }
});

test("two tabs with one idempotency key order one task", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const once = { "idempotency-key": "tab" };
  const first = await order(account, once);
  const again = await endpoint.panel.ask(panelMember(account), "POST", ORDER, BODY, {
    ...account.chosen,
    ...once,
  });
  assert.deepEqual(again.json<PlaygroundTaskOrdered>(), {
    taskId: first,
    held: "40",
    replayed: true,
  });
  assert.equal(await heldBy(account.accountId), "40");
});

test("a task is canceled, and its webhooks are logged and sent again, by members of its account alone", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const stranger = panelMember({ accountId: (await newPlaygroundAccount(endpoint.db)).accountId });
  const member = panelMember({ ...account, role: "manager" });
  const taskId = await order(account, { "x-callback-url": "https://shop.example/hook" });
  const path = `/panel/api/tasks/${taskId}`;
  const missing = await endpoint.panel.ask(stranger, "GET", `/panel/api/tasks/${newUuid()}`);
  assert.equal(missing.status, 404);
  for (const [method, rest] of [
    ["GET", ""],
    ["GET", "/events"],
    ["GET", "/deliveries"],
    ["POST", "/cancel"],
    ["POST", "/deliveries/retry"],
  ] as const) {
    const answer = await endpoint.panel.ask(stranger, method, path + rest);
    const { requestId: _, ...error } = answer.json<PanelErrorBody>().error;
    const { requestId: __, ...same } = missing.json<PanelErrorBody>().error;
    assert.deepEqual([answer.status, error], [404, same], rest);
  }
  assert.deepEqual(
    (await endpoint.panel.ask(stranger, "GET", "/panel/api/tasks")).json<PanelTaskList>().data,
    [],
  );
  for (const rest of ["/cancel", "/deliveries/retry"]) {
    assert.equal(
      (await endpoint.panel.ask(panelMember({ ...account, role: "viewer" }), "POST", path + rest))
        .status,
      403,
    );
  }
  assert.equal(await heldBy(account.accountId), "40");

  const canceled = (
    await endpoint.panel.ask(member, "POST", `${path}/cancel`)
  ).json<PanelTaskCancellation>();
  assert.deepEqual(createMistakeFinder(PanelTaskCancellation)(canceled), []);
  assert.deepEqual(
    [canceled.outcome, canceled.task.state, canceled.task.money.released],
    ["canceled", "failed", "40"],
  );
  assert.equal(await heldBy(account.accountId), "0");

  const deliveries = (
    await endpoint.panel.ask(member, "GET", `${path}/deliveries`)
  ).json<PanelTaskDeliveries>();
  assert.deepEqual(createMistakeFinder(PanelTaskDeliveries)(deliveries), []);
  assert.deepEqual(
    deliveries.data.map(({ url, state }) => [url, state]),
    [["https://shop.example/hook", "pending"]],
  );
  const resent = await endpoint.panel.ask(member, "POST", `${path}/deliveries/retry`);
  assert.deepEqual([resent.status, resent.json()], [202, { webhooks: 1 }]);
});

test("viewers and strangers to the origin order nothing", async () => {
  const account = await newPlaygroundAccount(endpoint.db);
  const paths = [ORDER, "/panel/api/playground/quote/messages", "/panel/api/playground/files"];
  for (const path of paths) {
    const viewer = panelMember({ ...account, role: "viewer" });
    assert.equal(
      (await endpoint.panel.ask(viewer, "POST", path, BODY, account.chosen)).status,
      403,
      path,
    );
    const elsewhere = { ...account.chosen, origin: "https://evil.example" };
    const answer = await endpoint.panel.ask(panelMember(account), "POST", path, BODY, elsewhere);
    assert.equal(answer.json<PanelErrorBody>().error.code, "origin_refused", path);
    assert.equal(
      (await endpoint.panel.ask(null, "POST", path, BODY, account.chosen)).status,
      401,
      path,
    );
  }
  assert.equal(await heldBy(account.accountId), "0");
});
