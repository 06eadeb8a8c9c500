/**
 * Tasks over HTTP on real PostgreSQL, with the engine played: what is ordered, told, followed,
 * canceled and charged, and to whom.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  openHttpEndpoint,
  type EndpointAnswer,
  type HttpEndpoint,
} from "../../../test/support/http-endpoint.ts";
import { hashOf, newAccount, newKey } from "../../../test/support/new-customer.ts";
import { playEnd, playProgress, playStart } from "../../../test/support/play-task.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { TaskErrorBody } from "../../contract/error-bodies.ts";
import {
  Task,
  TaskCancellation,
  TaskCreated,
  TaskDeliveries,
  TaskList,
  TaskQuote,
} from "../../contract/task.ts";
import { readBalance } from "../../serving/money/read-balance.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { balance } from "../../ledger/accounts.store.ts";

const BODY = { prompt: "A lighthouse in a storm.", duration: 5 };
const MODEL = "/v1/tasks/seedance-2";

let endpoint: HttpEndpoint;
let accountId: string;
let secret: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  accountId = await newAccount(endpoint.db, "100000");
  ({ secret } = await newKey(endpoint.db, accountId));
});
after(() => endpoint.close());

interface Data {
  readonly taskId: string;
  readonly state: string;
  readonly progress: number | null;
  readonly result: { files: { url: string }[] } | null;
  readonly error: { code: string; message: string } | null;
  readonly cost: { amount: string; currency: string; state: string };
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

const key = (): Record<string, string> => ({ "x-api-key": secret });
const dataOf = <T = Data>(answer: EndpointAnswer): T => answer.json<{ data: T }>().data;
const heldBy = async (id: string): Promise<string> =>
  formatRoubles((await balance(endpoint.db, id))?.heldNano ?? (-1n as never));

async function order(
  headers: Record<string, string> = key(),
  body: unknown = BODY,
  path = MODEL,
): Promise<string> {
  const answer = await endpoint.post(path, body, headers);
  assert.equal(answer.status, 200, answer.text);
  return dataOf(answer).taskId;
}

test("an order is a 200 with the task's id, holds its price, and says it in a header", async () => {
  const own = await newAccount(endpoint.db, "100");
  const { secret: mine } = await newKey(endpoint.db, own);
  const answer = await endpoint.post(MODEL, BODY, { "x-api-key": mine });
  assert.deepEqual([answer.status, createMistakeFinder(TaskCreated)(answer.json())], [200, []]);
  assert.equal(answer.headers.get("x-tollgate-cost"), "40");
  assert.equal(await heldBy(own), "40");
  const read = await endpoint.get(`/v1/tasks/${dataOf(answer).taskId}`, { "x-api-key": mine });
  assert.deepEqual(createMistakeFinder(Task)(read.json()), []);
  const { state, cost, result, error, startedAt, completedAt } = dataOf(read);
  assert.deepEqual(
    { state, cost, result, error, startedAt, completedAt },
    {
      state: "queued",
      cost: { amount: "40", currency: "RUB", state: "held" },
      result: null,
      error: null,
      startedAt: null,
      completedAt: null,
    },
  );
  const refused = await endpoint.post(
    MODEL,
    { ...BODY, resolution: "1080p" },
    { "x-api-key": mine },
  );
  assert.equal(refused.status, 402);
  assert.match(refused.text, /needs 80 RUB, 60 RUB is available and 40 RUB is held/);
  assert.equal(refused.headers.get("x-should-retry"), null, "the held money may come back");
  assert.equal(await heldBy(own), "40");
});

test("a bad body is refused with every mistake at once, and nothing is held", async () => {
  const before = await heldBy(accountId);
  const body = {
    promt: "x",
    duration: "5",
    resolution: "4k",
    firstFrameUrl: "data:image/png;base64,AAAA",
    referenceImageUrls: ["http://10.0.0.1/a.png"],
  };
  const answer = await endpoint.post(MODEL, body, {
    ...key(),
    "x-callback-url": "http://localhost/hook",
  });
  assert.deepEqual([answer.status, createMistakeFinder(TaskErrorBody)(answer.json())], [400, []]);
  const errors = answer.json<{ errors: { param: string; code: string; message: string }[] }>()
    .errors;
  assert.deepEqual(errors.map(({ param }) => param).toSorted(), [
    "duration",
    "firstFrameUrl",
    "prompt",
    "promt",
    "referenceImageUrls[0]",
    "resolution",
    "x-callback-url",
  ]);
  assert.equal(errors.find(({ param }) => param === "firstFrameUrl")?.code, "data_url");
  assert.match(errors.find(({ param }) => param === "promt")?.message ?? "", /prompt/);
  for (const raw of ["[]", "7", "{", "null", '{"prompt": "x", "duration": 5'])
    assert.equal((await endpoint.post(MODEL, raw, key())).status, 400, raw);
  assert.equal(
    (await endpoint.post(MODEL, BODY, { ...key(), "content-type": "text/plain" })).status,
    415,
  );
  assert.equal(
    (await endpoint.post(MODEL, { prompt: "x".repeat(1_100_000), duration: 5 }, key())).status,
    413,
  );
  assert.equal(await heldBy(accountId), before);
});

test("models: unknown, of another type, forbidden for the key; and an id with slashes, raw and encoded", async () => {
  assert.equal((await endpoint.post("/v1/tasks/nothing", BODY, key())).status, 404);
  const chat = await endpoint.post("/v1/tasks/vendor/model:free", BODY, key());
  const encoded = await endpoint.post("/v1/tasks/vendor%2Fmodel%3Afree", BODY, key());
  for (const answer of [chat, encoded]) {
    assert.deepEqual(
      [answer.status, answer.json<{ errors: { code: string }[] }>().errors[0]?.code],
      [400, "wrong_endpoint"],
      answer.text,
    );
  }
  const { secret: narrow } = await newKey(endpoint.db, accountId, { models: ["sandbox-large"] });
  assert.equal((await endpoint.post(MODEL, BODY, { "x-api-key": narrow })).status, 403);
  assert.equal((await endpoint.post(MODEL, BODY)).status, 401);
  assert.equal((await endpoint.post("/v1/tasks", BODY, key())).status, 405);
  // A model may be called as an action is: only ids of tasks have actions.
  assert.equal((await endpoint.post("/v1/tasks/vendor/cancel", BODY, key())).status, 404);
  assert.match((await endpoint.post("/v1/tasks/vendor/cancel", BODY, key())).text, /no model/);
});

test("slashes of a task model's id may be raw or encoded", async () => {
  for (const path of [
    "/v1/tasks/vendor/film/2",
    "/v1/tasks/vendor%2Ffilm%2F2",
    "/v1/tasks/vendor/film%2F2",
  ]) {
    const taskId = await order(key(), BODY, path);
    assert.equal(
      dataOf<{ model: string }>(await endpoint.get(`/v1/tasks/${taskId}`, key())).model,
      "vendor/film/2",
    );
  }
});

test("one idempotency key is one task and one hold, also for many at once; another body is refused", async () => {
  const own = await newAccount(endpoint.db, "100");
  const { secret: mine } = await newKey(endpoint.db, own);
  const headers = { "x-api-key": mine, "idempotency-key": "order-1" };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => endpoint.post(MODEL, BODY, headers)),
  );
  const good = answers.filter(({ status }) => status === 200);
  assert.ok(good.length >= 1 && answers.every(({ status }) => status === 200 || status === 409));
  assert.equal(new Set(good.map((answer) => dataOf(answer).taskId)).size, 1);
  const again = await endpoint.post(MODEL, BODY, headers);
  assert.deepEqual(
    [dataOf(again).taskId, again.headers.get("idempotent-replayed")],
    [dataOf(good[0] as EndpointAnswer).taskId, "true"],
  );
  assert.equal(await heldBy(own), "40");
  assert.equal((await endpoint.post(MODEL, { ...BODY, duration: 6 }, headers)).status, 400);
  // What was refused for lack of money may be sent again with its key.
  const dear = { "x-api-key": mine, "idempotency-key": "order-2" };
  const body = { ...BODY, resolution: "1080p" };
  assert.equal((await endpoint.post(MODEL, body, dear)).status, 402);
  assert.equal((await endpoint.post(MODEL, body, dear)).status, 402);
});

test("a stranger's task and one that never was are the same 404, whatever is asked of them", async () => {
  const taskId = await order();
  const { secret: stranger } = await newKey(endpoint.db, await newAccount(endpoint.db));
  for (const [method, rest] of [
    ["get", ""],
    ["get", "?wait=5"],
    ["get", "/events"],
    ["get", "/deliveries"],
    ["post", "/cancel"],
  ] as const) {
    const ask = (id: string): Promise<EndpointAnswer> =>
      method === "get"
        ? endpoint.get(`/v1/tasks/${id}${rest}`, { "x-api-key": stranger })
        : endpoint.post(`/v1/tasks/${id}${rest}`, "", { "x-api-key": stranger });
    const [foreign, none] = await Promise.all([
      ask(taskId),
      ask("0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"),
    ]);
    assert.deepEqual([foreign.status, none.status], [404, 404], rest);
    assert.equal(foreign.text.replace(/req_\w+/, ""), none.text.replace(/req_\w+/, ""));
  }
  assert.equal((await endpoint.get("/v1/tasks/nonsense", key())).status, 404);
  assert.equal((await endpoint.get("/v1/tasks/nonsense/events", key())).status, 404);
  const canceled = await fetch(`${endpoint.url}/v1/tasks/nonsense/cancel`, {
    method: "POST",
    headers: key(),
  });
  assert.deepEqual(
    [canceled.status, ((await canceled.json()) as { msg: string }).msg],
    [404, "This account has no such task."],
  );
});

test("a completed task shows its files and its charge, a failed one its reason and its release", async () => {
  const [good, bad] = [await order(), await order()];
  for (const taskId of [good, bad]) await playStart(endpoint.db, taskId);
  await playProgress(endpoint.db, good, 0.25);
  const running = dataOf(await endpoint.get(`/v1/tasks/${good}`, key()));
  assert.deepEqual(
    [running.state, running.progress, running.startedAt !== null],
    ["processing", 0.25, true],
  );
  await playEnd(endpoint.db, good);
  await playEnd(endpoint.db, bad, {
    code: "provider_error",
    message: "The provider failed to make it.",
  });
  const [done, failed] = await Promise.all(
    [good, bad].map((taskId) => endpoint.get(`/v1/tasks/${taskId}`, key())),
  );
  assert.ok(done !== undefined && failed !== undefined);
  for (const answer of [done, failed])
    assert.deepEqual(createMistakeFinder(Task)(answer.json()), []);
  assert.match(
    dataOf(done).result?.files[0]?.url ?? "",
    new RegExp(`^${endpoint.url}/static/[0-9a-f]{32}\\.png$`),
  );
  assert.deepEqual(
    [dataOf(done).cost.state, dataOf(done).cost.amount, dataOf(done).progress],
    ["charged", "40", 1],
  );
  assert.deepEqual(
    [dataOf(failed).cost.state, dataOf(failed).error?.code, dataOf(failed).result],
    ["released", "provider_error", null],
  );
});

test("a long poll answers as soon as the task ends, and with what there is when its time is over", async () => {
  const taskId = await order();
  const short = await endpoint.get(`/v1/tasks/${taskId}?wait=1`, key());
  assert.equal(dataOf(short).state, "queued");
  const waits = Promise.all(
    Array.from({ length: 5 }, () => endpoint.get(`/v1/tasks/${taskId}?wait=60`, key())),
  );
  await playStart(endpoint.db, taskId);
  await sleep(50);
  await playEnd(endpoint.db, taskId);
  for (const answer of await waits) assert.equal(dataOf(answer).state, "completed");
  for (const wait of ["61", "-1", "x"])
    assert.equal((await endpoint.get(`/v1/tasks/${taskId}?wait=${wait}`, key())).status, 400);
});

test("waits of one account are bounded, and free again when they are over", async () => {
  const taskId = await order();
  const leaving = new AbortController();
  // One more than there are places for: it alone is answered.
  const open = Array.from({ length: 101 }, () =>
    fetch(`${endpoint.url}/v1/tasks/${taskId}?wait=60`, { headers: key(), signal: leaving.signal }),
  );
  let refused: { readonly status: number; readonly headers: Headers } = await Promise.race(open);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "5"]);
  assert.equal(
    (await endpoint.get(`/v1/tasks/${taskId}`, key())).status,
    200,
    "who does not wait is not refused",
  );
  leaving.abort();
  await Promise.allSettled(open);
  for (let i = 0; i < 200; i++) {
    refused = await endpoint.get(`/v1/tasks/${taskId}?wait=1`, key());
    if (refused.status === 200) break;
    await sleep(20);
  }
  assert.equal(refused.status, 200);
});

test("canceled before it began, a task is over and its money is free; afterwards it is a wish, and that is what is said", async () => {
  const own = await newAccount(endpoint.db, "100");
  const { secret: mine } = await newKey(endpoint.db, own);
  const headers = { "x-api-key": mine };
  const cancel = (taskId: string): Promise<EndpointAnswer> =>
    endpoint.post(`/v1/tasks/${taskId}/cancel`, "", headers);
  const early = await order(headers);
  const answer = await cancel(early);
  assert.deepEqual(
    [answer.status, createMistakeFinder(TaskCancellation)(answer.json())],
    [200, []],
    answer.text,
  );
  const reported = dataOf<{ outcome: string; message: string; task: Data }>(answer);
  assert.deepEqual(
    [reported.outcome, reported.task.state, reported.task.error?.code, reported.task.cost.state],
    ["canceled", "failed", "canceled", "released"],
  );
  assert.equal(await heldBy(own), "0");
  assert.equal((await readBalance(endpoint.db, own)).availableNano, 100_000_000_000n);

  const late = await order(headers);
  await playStart(endpoint.db, late);
  for (let i = 0; i < 2; i++) {
    const asked = dataOf<{ outcome: string; message: string; task: Data }>(await cancel(late));
    assert.deepEqual(
      [asked.outcome, asked.task.state, asked.task.cost.state],
      ["requested", "processing", "held"],
    );
    assert.match(asked.message, /40 RUB stay held/);
  }
  assert.equal(await heldBy(own), "40");
  await playEnd(endpoint.db, late);
  const over = dataOf<{ outcome: string; message: string }>(await cancel(late));
  assert.equal(over.outcome, "ended");
  assert.match(over.message, /40 RUB were charged/);
});

test("lists go by pages, state and model, and hold only the account's own", async () => {
  const own = await newAccount(endpoint.db, "1000");
  const { secret: mine } = await newKey(endpoint.db, own);
  const headers = { "x-api-key": mine };
  const tasks = [
    await order(headers),
    await order(headers),
    await order(headers, BODY, "/v1/tasks/vendor/film/2"),
    await order(headers),
  ];
  await playEnd(endpoint.db, tasks[0] ?? "", { code: "internal", message: "x" });
  const list = async (query: string): Promise<{ ids: string[]; next: string | null }> => {
    const answer = await endpoint.get(`/v1/tasks${query}`, headers);
    assert.deepEqual(
      [answer.status, createMistakeFinder(TaskList)(answer.json())],
      [200, []],
      answer.text,
    );
    const data = dataOf<{ tasks: Data[]; nextCursor: string | null }>(answer);
    return { ids: data.tasks.map(({ taskId }) => taskId), next: data.nextCursor };
  };
  assert.deepEqual((await list("")).ids, tasks.toReversed());
  const first = await list("?limit=3");
  assert.deepEqual(first.ids, tasks.slice(1).toReversed());
  assert.deepEqual(await list(`?limit=3&cursor=${first.next}`), { ids: [tasks[0]], next: null });
  assert.deepEqual((await list("?state=failed")).ids, [tasks[0]]);
  assert.deepEqual((await list("?state=queued&model=vendor/film/2")).ids, [tasks[2]]);
  assert.deepEqual((await list("?state=completed")).ids, []);
  for (const bad of ["?state=done", "?cursor=x", "?limit=0", "?model=%00", "?limit=1?limit=2"])
    assert.equal((await endpoint.get(`/v1/tasks${bad}`, headers)).status, 400, bad);
});

test("a quote is the price that the order is then held with, and charges nothing", async () => {
  const own = await newAccount(endpoint.db, "100");
  const { secret: mine } = await newKey(endpoint.db, own, {
    limit: { amountNano: 50_000_000_000n as never, period: "total" },
  });
  const headers = { "x-api-key": mine };
  for (const [body, amount, admitted] of [
    [BODY, "40", true],
    [{ ...BODY, resolution: "480p", generateAudio: true }, "40", true],
    [{ ...BODY, resolution: "1080p" }, "80", false],
    [{ ...BODY, duration: 4.5, resolution: "1080p", generateAudio: true }, "160", false],
  ] as const) {
    const answer = await endpoint.post("/v1/quote/tasks/seedance-2", body, headers);
    assert.deepEqual(
      [answer.status, createMistakeFinder(TaskQuote)(answer.json())],
      [200, []],
      answer.text,
    );
    const quote = dataOf<{
      amount: string;
      admitted: boolean;
      available: string;
      refusal: { code: string } | null;
    }>(answer);
    assert.deepEqual([quote.amount, quote.admitted, quote.available], [amount, admitted, "50"]);
  }
  const refusals = await Promise.all(
    ["1080p", "480p"].map(async (resolution) =>
      dataOf<{ refusal: { code: string } | null }>(
        await endpoint.post(
          "/v1/quote/tasks/vendor%2Ffilm/2",
          { ...BODY, duration: resolution === "1080p" ? 15 : 7, resolution },
          headers,
        ),
      ),
    ),
  );
  assert.deepEqual(
    refusals.map(({ refusal }) => refusal?.code ?? null),
    ["insufficient_balance", null],
  );
  assert.equal(await heldBy(own), "0");
  assert.equal(
    (await endpoint.post("/v1/quote/tasks/seedance-2", { prompt: "x" }, headers)).status,
    400,
  );
  assert.equal((await endpoint.post("/v1/quote/tasks/nothing", BODY, headers)).status, 404);
  assert.equal((await endpoint.post("/v1/quote/tasks", BODY, headers)).status, 404);
});

test("deliveries of a task without an address are none, with one they wait for its end", async () => {
  const taskId = await order({ ...key(), "x-callback-url": "https://shop.example.com/hook" });
  const list = async (): Promise<{ id: string; state: string }[]> => {
    const answer = await endpoint.get(`/v1/tasks/${taskId}/deliveries`, key());
    assert.deepEqual(
      [answer.status, createMistakeFinder(TaskDeliveries)(answer.json())],
      [200, []],
      answer.text,
    );
    return dataOf<{ deliveries: { id: string; state: string }[] }>(answer).deliveries;
  };
  assert.deepEqual(await list(), []);
  await playEnd(endpoint.db, taskId);
  const [delivery] = await list();
  assert.equal(delivery?.state, "pending");
  assert.match(delivery?.id ?? "", /^msg_[0-9a-f]{32}$/);
});

test("a provider's report is answered the same whatever it says, and wakes the task of its address only", async () => {
  const taskId = await order();
  const { attemptId } = await playStart(endpoint.db, taskId);
  const dueIn = async (): Promise<number> => {
    const [row] = await endpoint.db.query<{ ms: number }>(
      "SELECT (extract(epoch FROM due_at - clock_timestamp()) * 1000)::float8 AS ms FROM tasks.jobs WHERE task_id = $1",
      [taskId],
    );
    return row?.ms ?? Number.NaN;
  };
  const report = (path: string, body: unknown = { taskId: "x" }): Promise<EndpointAnswer> =>
    endpoint.post(`/v1/callbacks/${path}`, body);
  for (const path of [
    "media/nobody",
    `nobody/${attemptId}`,
    `up/${attemptId}`,
    `other-media/${attemptId}`,
    `media/${crypto.randomUUID()}`,
  ]) {
    const answer = await report(path);
    assert.deepEqual([answer.status, answer.text], [200, '{"code":200,"msg":"success"}']);
  }
  assert.equal((await report(`media/${hashOf("x")}`, "x".repeat(400_000))).status, 200);
  await sleep(100);
  assert.ok((await dueIn()) > 10_000, "nobody's word wakes it");
  assert.equal((await report(`media/${attemptId}`, "not json")).status, 200);
  for (let i = 0; i < 100 && (await dueIn()) > 0; i++) await sleep(20);
  assert.ok((await dueIn()) <= 0);
});

test("a process that is about to stop takes no order, holds nothing for it, and still shows tasks", async () => {
  const own = await newAccount(endpoint.db, "100");
  const { secret: mine } = await newKey(endpoint.db, own);
  endpoint.draining = true;
  try {
    const answer = await endpoint.post(MODEL, BODY, { "x-api-key": mine });
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "1"]);
    assert.equal(await heldBy(own), "0");
    assert.equal((await endpoint.get("/v1/tasks", { "x-api-key": mine })).status, 200);
  } finally {
    endpoint.draining = false;
  }
  assert.equal((await endpoint.post(MODEL, BODY, { "x-api-key": mine })).status, 200);
});
