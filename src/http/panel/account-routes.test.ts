/**
 * Guarantee: the account pages tell a member everything of its own account, exactly as the ledger
 * has it, and nothing of anybody else's.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../test/support/account-scene.ts";
import { fillReceipts } from "../../../test/support/fill-receipts.ts";
import { panelMember, type PanelAnswer } from "../../../test/support/panel-endpoint.ts";
import type { LedgerDayPage } from "../../contract/panel/ledger-days.ts";
import type { LedgerPage } from "../../contract/panel/ledger-entry.ts";
import type { LedgerTurnover } from "../../contract/panel/ledger-turnover.ts";
import type { Overview } from "../../contract/panel/overview.ts";
import type { PanelKey, PanelKeyList, PanelKeyMade } from "../../contract/panel/panel-key.ts";
import type { PanelModelList, PanelTaskQuote } from "../../contract/panel/panel-model.ts";
import type { PanelReceipt, PanelRequestList } from "../../contract/panel/panel-request.ts";
import type { RequestTotals } from "../../contract/panel/request-totals.ts";
import type { Usage } from "../../contract/panel/usage.ts";
import { formatRequestId, newUuid } from "../../kernel/ids.ts";
import { formatRoubles, nano, parseRoubles } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";

let scene: AccountScene;
before(async () => {
  scene = await openAccountScene();
});
after(() => scene.close());

type Ask = (
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
) => Promise<PanelAnswer>;

function asking(accountId: string, role: "viewer" | "manager" | "owner" = "owner"): Ask {
  const member = panelMember({ accountId, role });
  return (method, path, body) => scene.endpoint.ask(member, method, `/panel/api/${path}`, body);
}

test("a receipt tells the price line by line, and the way of the money step by step", async () => {
  const accountId = await scene.account("100");
  const ask = asking(accountId);
  const { key } = await scene.key(accountId);
  const usage = {
    ...NO_USAGE,
    inputTokens: 1001,
    cachedInputTokens: 3,
    outputTokens: 17,
    reasoningTokens: 4,
  };
  const chargeNano = 160_395_000n;
  const requestId = await scene.chat(key, {
    chargeNano,
    holdNano: 300_000_000n,
    usage,
    detail: {
      batch: "batch_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
      firstHeldNano: "100000000",
      raises: [{ ms: 10, heldNano: "200000000" }],
      attempts: [
        {
          upstream: "secret-upstream",
          model: "secret-model",
          outcome: "failed",
          status: 503,
          ms: 12,
          reason: "secret-reason",
        },
        {
          upstream: "other-upstream",
          model: "secret-model",
          outcome: "served",
          status: 200,
          ms: 30,
        },
      ],
    },
  });
  const answer = await ask("GET", `requests/${formatRequestId(requestId)}`);
  assert.equal(answer.status, 200, answer.text);
  const receipt = answer.json<PanelReceipt>();
  assert.deepEqual(
    receipt.trail.map(({ kind, amount, heldAfter }) => [kind, amount, heldAfter]),
    [
      ["hold", "0.1", "0.1"],
      ["growth", "0.1", "0.2"],
      ["growth", "0.1", "0.3"],
      ["charge", "0.160395", "0.139605"],
      ["release", "0.139605", "0"],
    ],
  );
  assert.deepEqual(receipt.price?.lines, [
    { what: "input", quantity: "1001", unitPrice: "150", per: "1M tokens", amount: "0.15015" },
    { what: "cachedInput", quantity: "3", unitPrice: "15", per: "1M tokens", amount: "0.000045" },
    { what: "output", quantity: "13", unitPrice: "600", per: "1M tokens", amount: "0.0078" },
    { what: "reasoning", quantity: "4", unitPrice: "600", per: "1M tokens", amount: "0.0024" },
  ]);
  assert.deepEqual(
    [receipt.price?.exact, receipt.price?.price, receipt.charged],
    ["0.160395", "0.160395", "0.160395"],
  );
  assert.deepEqual(receipt.attempts, [
    { number: 1, outcome: "failed", status: 503, durationMs: 12 },
    { number: 2, outcome: "delivered", status: 200, durationMs: 30 },
  ]);
  assert.equal(receipt.batch, "batch_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b");
  assert.doesNotMatch(
    answer.text,
    /secret|other-upstream/,
    "which upstreams there are is the operator's affair",
  );
  assert.deepEqual(
    [receipt.key?.hash, receipt.modelRequested, receipt.model],
    [key.hash, "claude-opus-4", "sandbox-large"],
  );
});

test("a task's receipt has its price by the second and the multiplier of its sound; a failed one gives everything back", async () => {
  const accountId = await scene.account("1000");
  const ask = asking(accountId);
  const { key } = await scene.key(accountId);
  const done = (
    await ask("GET", `requests/${await scene.task(key, 80_000_000_000n, "completed")}`)
  ).json<PanelReceipt>();
  assert.deepEqual(done.price?.lines, [
    { what: "second", quantity: "5", unitPrice: "8", per: "each", amount: "40" },
  ]);
  assert.deepEqual(
    [done.price?.multipliers, done.price?.price, done.charged],
    [[{ by: "2", when: { generateAudio: "true" } }], "80", "80"],
  );
  assert.deepEqual(
    done.trail.map(({ kind, amount }) => `${kind} ${amount}`),
    ["hold 80", "charge 80"],
  );
  const failed = (
    await ask("GET", `requests/${await scene.task(key, 7_000_000_000n, "failed")}`)
  ).json<PanelReceipt>();
  assert.deepEqual(
    [failed.price, failed.error?.code, failed.charged],
    [null, "provider_error", "0"],
  );
  assert.deepEqual(
    failed.trail.map(({ kind, amount }) => `${kind} ${amount}`),
    ["hold 7", "release 7"],
  );
});

test("requests and tasks are one list, newest first, and every filter narrows it, page by page", async () => {
  const accountId = await scene.account("1000000");
  const ask = asking(accountId, "viewer");
  const [one, two] = [(await scene.key(accountId)).key, (await scene.key(accountId)).key];
  const wanted: { id: string; key: string; model: string; state: string; kind: string }[] = [];
  for (let turn = 0; turn < 24; turn++) {
    const key = turn % 3 === 0 ? one : two;
    const about = {
      key: key.hash,
      kind: turn % 4 === 0 ? "task" : "chat",
      model: turn % 4 === 0 ? "seedance-2" : "sandbox-large",
    };
    const state = turn % 5 === 0 ? "failed" : "completed";
    const id =
      turn % 4 === 0
        ? await scene.task(key, 1_000n, state)
        : formatRequestId(await scene.chat(key, { chargeNano: 5n, state }));
    wanted.unshift({ ...about, state, id });
  }
  const list = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const answer = await ask(
        "GET",
        `requests?limit=5&${query}${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      assert.equal(answer.status, 200, answer.text);
      const page = answer.json<PanelRequestList>();
      assert.ok(page.data.length > 0 || ids.length === 0, "no empty page at the end");
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    return ids;
  };
  const expected = (fits: (each: (typeof wanted)[number]) => boolean): string[] =>
    wanted.filter(fits).map(({ id }) => id);
  assert.deepEqual(
    await list(""),
    expected(() => true),
  );
  assert.deepEqual(
    await list(`keyHash=${one.hash}`),
    expected(({ key }) => key === one.hash),
  );
  assert.deepEqual(
    await list("model=seedance-2"),
    expected(({ model }) => model === "seedance-2"),
  );
  assert.deepEqual(
    await list("state=failed"),
    expected(({ state }) => state === "failed"),
  );
  assert.deepEqual(
    await list("kind=chat"),
    expected(({ kind }) => kind === "chat"),
  );
  assert.deepEqual(
    await list(`kind=task&state=failed&keyHash=${two.hash}`),
    expected(({ kind, state, key }) => kind === "task" && state === "failed" && key === two.hash),
  );
  assert.deepEqual(
    await list(`model=sandbox-large&state=completed&keyHash=${two.hash}`),
    expected(
      ({ model, state, key }) =>
        model === "sandbox-large" && state === "completed" && key === two.hash,
    ),
  );
  assert.deepEqual(
    await list("model=sandbox-large"),
    expected(({ model }) => model === "sandbox-large"),
  );
  assert.deepEqual(
    await list("state=completed"),
    expected(({ state }) => state === "completed"),
  );
  assert.deepEqual(await list("state=client_gone"), []);
  assert.deepEqual(await list("to=2020-01-01"), []);
  assert.deepEqual(
    await list("from=2020-01-01"),
    expected(() => true),
  );
  assert.equal((await ask("GET", "requests?cursor=nonsense")).status, 400);
});

test("the ledger's balances run back to nothing, from any time on, marked or not", async () => {
  const accountId = await scene.account("1000000");
  const ask = asking(accountId, "viewer");
  const { key } = await scene.key(accountId);
  await fillReceipts(scene.url, {
    accountId,
    keyIds: [key.keyId],
    models: ["sandbox-large"],
    count: 3_000,
    apart: "1 minute",
  });
  const walk = async (query: string): Promise<LedgerPage["data"]> => {
    const rows: LedgerPage["data"] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const answer = await ask(
        "GET",
        `ledger?limit=700&${query}${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      assert.equal(answer.status, 200, answer.text);
      const page = answer.json<LedgerPage>();
      rows.push(...page.data);
      cursor = page.nextCursor;
    }
    return rows;
  };
  const whole = await walk("holds=true");
  assert.equal(whole.length, 3_001);
  let balance: bigint = parseRoubles((await ask("GET", "overview")).json<Overview>().balance) ?? 0n;
  for (const entry of whole) {
    assert.equal(entry.balanceAfter, formatRoubles(nano(balance)));
    balance -= parseRoubles(entry.change) ?? 0n;
  }
  assert.equal(balance, 0n);
  const [from, to] = [
    new Date(Date.now() - 2_500 * 60_000).toISOString(),
    new Date(Date.now() - 2_000 * 60_000).toISOString(),
  ];
  const within = whole.filter(({ at, kind }) => at >= from && at < to && kind !== "release");
  assert.ok(within.length > 300);
  assert.deepEqual(await walk(`from=${from}&to=${to}`), within);
  // What a time adds up to: from where the entry before it ended to where its own last one did.
  const turnover = async (query: string): Promise<LedgerTurnover> =>
    (await ask("GET", `ledger/turnover?${query}`)).json<LedgerTurnover>();
  const sumOf = (entries: LedgerPage["data"]): bigint =>
    entries.reduce((sum, { change }) => sum + (parseRoubles(change) ?? 0n), 0n);
  const all = await turnover("");
  assert.deepEqual(
    [all.opening, all.toppedUp, all.closing],
    ["0", "1000000", whole[0]?.balanceAfter],
  );
  for (const [firstMinute, lastMinute] of [
    [2_500, 2_000],
    [900, 300],
  ] as const) {
    const [begin, end] = [firstMinute, lastMinute].map((minutes) =>
      new Date(Date.now() - minutes * 60_000).toISOString(),
    ) as [string, string];
    const charges = whole.filter(({ at, kind }) => at >= begin && at < end && kind === "charge");
    const part = await turnover(`from=${begin}&to=${end}`);
    assert.deepEqual(
      [part.charged, part.toppedUp, part.adjusted],
      [formatRoubles(nano(-sumOf(charges))), "0", "0"],
    );
    assert.equal(
      (parseRoubles(part.closing) ?? 0n) - (parseRoubles(part.opening) ?? 0n),
      sumOf(charges),
    );
    const [until, since] = [await turnover(`to=${begin}`), await turnover(`from=${end}`)];
    assert.deepEqual([since.opening, since.closing], [part.closing, all.closing]);
    // The one top-up has the lowest number and the latest time, which no real one has: only behind
    // a mark it comes before all.
    const marked = firstMinute === 900;
    assert.equal(
      part.opening,
      marked
        ? whole[whole.indexOf(charges.at(-1) as LedgerPage["data"][number]) + 1]?.balanceAfter
        : until.closing,
    );
  }
  assert.equal((await ask("GET", "ledger?cursor=1.2.3")).status, 400);
});

test("tables come as files that no spreadsheet runs, whole, however many rows they have", async () => {
  const accountId = await scene.account("1000");
  const ask = asking(accountId, "viewer");
  const made = await asking(accountId)("POST", "keys", {
    name: '=HYPERLINK("http://evil.example","x")',
  });
  const { hash } = made.json<PanelKeyMade>().key;
  const [key] = (await scene.db.query<{ keyId: string }>(
    `SELECT key_id AS "keyId" FROM keys.keys WHERE hash = $1`,
    [hash],
  )) as [{ keyId: string }];
  await fillReceipts(scene.url, {
    accountId,
    keyIds: [key.keyId],
    models: ["sandbox-large"],
    count: 2_300,
    apart: "1 second",
  });
  for (const [path, head] of [
    ["ledger.csv", "Time (UTC),Kind,"],
    ["requests.csv", "Time (UTC),Request,"],
  ] as const) {
    const answer = await ask("GET", path);
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
    assert.match(answer.headers.get("content-disposition") ?? "", /attachment/);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const lines = answer.text.split("\r\n");
    assert.ok((lines[0] ?? "").replace("\uFEFF", "").startsWith(head));
    assert.ok(lines[1]?.includes(`"'=HYPERLINK(""http://evil.example"",""x"")"`), lines[1] ?? "");
    // Spreadsheets in Russian split at semicolons, and take `1.50` for the first of May, 1950.
    const ofRussian = (await ask("GET", `${path}?language=ru`)).text.split("\r\n");
    assert.match(ofRussian[0] ?? "", /^Время \(UTC\);/);
    assert.equal(ofRussian[0]?.split(";").length, ofRussian[1]?.split(";").length);
    assert.ok(
      ofRussian[1]?.includes(`;"'=HYPERLINK(""http://evil.example"",""x"")";`),
      ofRussian[1] ?? "",
    );
    const decimals = (of: readonly string[], cell: RegExp): number =>
      of.filter((line) => cell.test(line)).length;
    assert.ok(decimals(lines, /,-?\d+\.\d+(,|$)/) > 0);
    assert.equal(decimals(ofRussian, /;"?-?\d+\.\d+"?(;|$)/), 0);
    assert.equal(decimals(ofRussian, /;"-?\d+,\d+"(;|$)/), decimals(lines, /,-?\d+\.\d+(,|$)/));
    // Whose day ends three hours earlier closes the month by it; what is told by the API stays as
    // it is.
    const ofMoscow = (await ask("GET", `${path}?language=ru&timezone=Europe/Moscow`)).text.split(
      "\r\n",
    );
    assert.match(ofMoscow[0] ?? "", /^Время \(Europe\/Moscow\);/);
    const reported = new Date(lines[1]?.split(",")[0] ?? "").getTime() + 3 * 3_600_000;
    assert.equal(
      ofMoscow[1]?.split(";")[0],
      new Date(reported).toISOString().slice(0, 19).replace("T", " "),
    );
    for (const [word, russian] of Object.entries(
      path === "ledger.csv"
        ? { charge: "Списание", topup: "Пополнение" }
        : { failed: "Ошибка", completed: "Готово" },
    )) {
      assert.ok(decimals(lines, new RegExp(`,${word},`)) > 0, word);
      assert.equal(
        decimals(ofMoscow, new RegExp(`;${russian};`)),
        decimals(lines, new RegExp(`,${word},`)),
      );
    }
    assert.equal((await ask("GET", `${path}?timezone=Mars/Base`)).status, 400);
  }
  assert.equal((await ask("GET", "requests.csv")).text.trimEnd().split("\r\n").length, 2_301);
  assert.equal(
    (await ask("GET", "requests.csv?state=failed")).text.trimEnd().split("\r\n").length - 1,
    Math.ceil((2_300 - 3) / 7),
  );
  await fillReceipts(scene.url, {
    accountId,
    keyIds: [key.keyId],
    models: ["sandbox-large"],
    count: 98_000,
    apart: "1 second",
  });
  for (const [path, head] of [
    ["requests.csv", 0],
    ["ledger.csv?holds=true", 1],
  ] as const) {
    const answer = await ask("GET", path);
    assert.equal(answer.status, 200, answer.text.slice(0, 200));
    // The top-up stands in the ledger, too.
    assert.equal(answer.text.trimEnd().split("\r\n").length - 1, 100_300 + head, path);
  }
  const named = await ask("GET", "requests.csv?state=stopped_by_balance&fileName=may-2026");
  assert.equal(named.headers.get("content-disposition"), 'attachment; filename="may-2026.csv"');
  for (const fileName of ["..%2Fx", "a%22b", "A.exe", "-x", "a%0d%0ab"])
    assert.equal((await ask("GET", `requests.csv?fileName=${fileName}`)).status, 400, fileName);
});

test("usage, totals, sorted lists and the ledger by day are asked for within their bounds", async () => {
  const accountId = await scene.account("100");
  const ask = asking(accountId, "viewer");
  const { key } = await scene.key(accountId);
  await scene.chat(key, { chargeNano: 5n });
  await scene.chat(key, { chargeNano: 9n });
  const usage = (await ask("GET", "usage?range=24h&by=kind")).json<Usage>();
  assert.deepEqual(
    [usage.grain, usage.points.length, usage.total.charged, usage.parts[0]?.kind],
    ["hour", 24, "0.000000014", "chat"],
  );
  const totals = (await ask("GET", "requests/totals?model=sandbox-large")).json<RequestTotals>();
  assert.deepEqual([totals.requests, totals.charged], [2, "0.000000014"]);
  const today = new Date(Date.now() - 3_600_000).toISOString();
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const sorted = await ask("GET", `requests?order=charged&from=${today}&to=${soon}&limit=1`);
  const first = sorted.json<PanelRequestList>();
  assert.deepEqual([first.data[0]?.charged, first.data.length], ["0.000000009", 1]);
  const second = await ask(
    "GET",
    `requests?order=charged&from=${today}&to=${soon}&limit=1&cursor=${first.nextCursor}`,
  );
  assert.deepEqual(
    second.json<PanelRequestList>().data.map(({ charged }) => charged),
    ["0.000000005"],
  );
  const days = (await ask("GET", "ledger/days")).json<LedgerDayPage>();
  assert.deepEqual(
    days.data.map(({ opening, credited, charged, closing }) => [
      opening,
      credited,
      charged,
      closing,
    ]),
    [["0", "100", "0.000000014", "99.999999986"]],
  );
  for (const path of [
    "usage?range=1y",
    "usage?from=2026-01-01",
    "usage?from=2020-01-01&to=2026-01-01",
    "usage?by=upstream",
    "requests?order=charged",
    "requests?order=charged&from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z",
    "requests?order=price",
    `requests?order=duration&from=${today}&to=${soon}&cursor=nonsense`,
    "ledger/days?limit=93",
    "ledger/days?from=yesterday",
  ])
    assert.equal((await ask("GET", path)).status, 400, path);
});

test("models come with their prices and forms, and a task's price is that of its order", async () => {
  const ask = asking(await scene.account("50"), "viewer");
  const { data } = (await ask("GET", "models")).json<PanelModelList>();
  assert.deepEqual(
    data.map(({ id, type, endpoints, aliases }) => [id, type, endpoints, aliases]),
    [
      ["sandbox-large", "chat", ["chat.completions", "messages", "responses"], ["claude-*opus*"]],
      ["seedance-2", "task", ["tasks"], []],
    ],
  );
  const [chat, task] = data;
  assert.deepEqual(
    [chat?.price.kind, chat?.price.kind === "chat" && chat.price.cachedInput, chat?.form],
    ["chat", "15", null],
  );
  assert.ok(task?.price.kind === "task" && task.form !== null);
  assert.deepEqual(task.price.amounts, [
    { when: { resolution: "480p" }, amount: "4" },
    { when: { resolution: "720p" }, amount: "8" },
    { when: { resolution: "1080p" }, amount: "16" },
  ]);
  assert.equal(task.form.table, "T9");
  const field = (name: string) => task.form?.fields.find((each) => each.name === name);
  assert.deepEqual(
    [
      field("prompt")?.kind,
      field("resolution")?.values?.includes("720p"),
      field("firstFrameUrl")?.media?.kind,
    ],
    ["text", true, "image"],
  );
  assert.deepEqual(
    task.form.rules,
    [],
    "the specification states no rule between the parameters of T9",
  );
  const quoted = await ask("POST", "quote/tasks/seedance-2", task.form.examples.minimal);
  assert.equal(quoted.status, 200, quoted.text);
  const dear = { prompt: "a cat", duration: 10, resolution: "1080p", generateAudio: true };
  const quote = (await ask("POST", "quote/tasks/seedance-2", dear)).json<PanelTaskQuote>();
  assert.deepEqual(
    [quote.amount, quote.available, quote.admitted, quote.refusal?.code],
    ["320", "50", false, "insufficient_balance"],
  );
  const wrong = await ask("POST", "quote/tasks/seedance-2", { promt: "a cat" });
  assert.deepEqual(
    [wrong.status, wrong.json<{ error: { errors: unknown[] } }>().error.errors.length > 1],
    [400, true],
  );
});

test("keys by the panel: the secret once, every option, and roles", async () => {
  const accountId = await scene.account();
  const ask = asking(accountId, "manager");
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const wish = {
    name: "shop",
    limit: { amount: "12.5", period: "day" },
    expiresAt,
    models: ["sandbox-large"],
    ips: ["10.0.0.0/8"],
    maxConcurrent: 2,
  };
  const made = await ask("POST", "keys", wish);
  assert.equal(made.status, 201, made.text);
  const { secret, key } = made.json<PanelKeyMade>();
  assert.match(secret, /^tg_live_/);
  const again = await ask("GET", `keys/${key.hash}`);
  assert.doesNotMatch(again.text, new RegExp(secret));
  const { limit, models, ips, maxConcurrent, state } = again.json<PanelKey>();
  assert.deepEqual(
    [limit?.amount, limit?.period, models, ips, maxConcurrent, state],
    ["12.5", "day", ["sandbox-large"], ["10.0.0.0/8"], 2, "active"],
  );
  const changed = await ask("POST", `keys/${key.hash}`, { limit: null, models: null });
  assert.deepEqual(
    [changed.status, changed.json<PanelKey>().limit, changed.json<PanelKey>().ips],
    [200, null, ["10.0.0.0/8"]],
  );
  assert.equal((await ask("POST", `keys/${key.hash}/roll`, { overlapHours: 169 })).status, 400);
  assert.equal((await ask("POST", `keys/${key.hash}/roll`, { overlapHours: 1 })).status, 201);
  assert.equal((await ask("POST", `keys/${key.hash}/freeze`)).json<PanelKey>().state, "frozen");
  assert.deepEqual((await ask("POST", "keys/freeze-all")).json(), { frozen: 1 });
  assert.deepEqual((await ask("DELETE", `keys/${key.hash}`)).json(), {});
  assert.equal((await ask("GET", "keys")).json<PanelKeyList>().data.length, 1);
  assert.equal((await ask("GET", "keys?deleted=true")).json<PanelKeyList>().data.length, 2);
  for (const amount of ["-1", "0", "1e3", "x"]) {
    const refused = await ask("POST", "keys", { name: "x", limit: { amount, period: "day" } });
    assert.equal(refused.status, 400, amount);
  }
  const viewer = asking(accountId, "viewer");
  assert.equal((await viewer("GET", "keys")).status, 200);
  for (const path of ["keys", "keys/freeze-all", `keys/${key.hash}/freeze`])
    assert.equal((await viewer("POST", path, { name: "x" })).status, 403);
});

test("what is another account's answers word for word as what never was", async () => {
  const [mine, theirs] = [await scene.account("100"), await scene.account("100")];
  const ask = asking(mine);
  const { key } = await scene.key(theirs);
  const request = formatRequestId(await scene.chat(key, { chargeNano: 5n }));
  const task = await scene.task(key, 5n, "completed");
  const nobody = "f".repeat(64);
  const pairs: readonly (readonly ["GET" | "POST" | "DELETE", string, string, object?])[] = [
    ["GET", `requests/${request}`, `requests/${formatRequestId(newUuid())}`],
    ["GET", `requests/${task}`, `requests/${newUuid()}`],
    ["GET", `requests?keyHash=${key.hash}`, `requests?keyHash=${nobody}`],
    ["GET", `requests.csv?keyHash=${key.hash}`, `requests.csv?keyHash=${nobody}`],
    ["GET", `spend?keyHash=${key.hash}`, `spend?keyHash=${nobody}`],
    ["GET", `usage?keyHash=${key.hash}`, `usage?keyHash=${nobody}`],
    ["GET", `requests/totals?keyHash=${key.hash}`, `requests/totals?keyHash=${nobody}`],
    ["GET", `keys/${key.hash}`, `keys/${nobody}`],
    ["POST", `keys/${key.hash}`, `keys/${nobody}`, { name: "mine" }],
    ["POST", `keys/${key.hash}/roll`, `keys/${nobody}/roll`, { overlapHours: 0 }],
    ["POST", `keys/${key.hash}/freeze`, `keys/${nobody}/freeze`],
    ["POST", `keys/${key.hash}/unfreeze`, `keys/${nobody}/unfreeze`],
    ["DELETE", `keys/${key.hash}`, `keys/${nobody}`],
  ];
  const without = (answer: PanelAnswer): string =>
    answer.text.replaceAll(/req_[0-9a-f]{32}/g, "req");
  for (const [method, theirPath, noPath, body] of pairs) {
    const [found, missing] = [await ask(method, theirPath, body), await ask(method, noPath, body)];
    assert.deepEqual(
      [found.status, without(found)],
      [404, without(missing)],
      `${method} ${theirPath}`,
    );
    assert.equal(missing.status, 404);
  }
  assert.equal((await asking(theirs)("GET", `keys/${key.hash}`)).json<PanelKey>().state, "active");
});
