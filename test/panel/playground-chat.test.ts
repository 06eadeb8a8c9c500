/**
 * Guarantee: chat in the panel is the API's, byte for byte and nano-rouble for nano-rouble, through
 * a key that its member chose, and through nothing else.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { changeRole } from "../../src/accounts/members.store.ts";
import { deleteKey } from "../../src/business/keys/delete-key.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import type { PanelErrorBody } from "../../src/contract/panel/panel-error.ts";
import { nano, parseRoubles } from "../../src/kernel/money.ts";
import { setKeyFrozen } from "../../src/keys/change.store.ts";
import { listEntries } from "../../src/ledger/entries.store.ts";
import type { StoredReceipt } from "../../src/usage/receipt-row.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { hashOf, newKey } from "../support/new-customer.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { createGate, type Handler } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";

const ANSWER = {
  pieces: ["Good", " evening", ", panel"],
  usage: { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 },
};
const PROTOCOLS = ["chat/completions", "messages", "responses"] as const;
const AT_PANEL = "/panel/api/playground";

let scene: ChatScene;
let person: PanelPerson;
let secret: string;
before(async () => {
  scene = await openChatScene({
    catalogue: (url) => `
upstreams:
  up: { protocol: openai, baseUrl: "${url}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000 }
models:
  standard:
    { type: chat, endpoints: [chat.completions, messages], contextTokens: 20000, maxOutputTokens: 8000, price: { input: "150", output: "600" }, routes: [ { upstream: up, model: m } ] }
`,
  });
});
after(() => scene.close());

beforeEach(async () => {
  person = await signUpAtPanel(scene.gateway);
  const amountNano = parseRoubles("100");
  assert.ok(amountNano !== null);
  await topUp(scene.db, { accountId: person.accountId, amountNano, reference: null });
  ({ secret } = await newKey(scene.db, person.accountId));
});

type PanelError = PanelErrorBody["error"];

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string;
  readonly text: string;
}

async function post(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const response = await fetch(scene.gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    requestId: response.headers.get("x-request-id") ?? "",
    text: await response.text(),
  };
}

/** As a page of the panel would. */
function byPanel(
  chosen: string | null = hashOf(secret),
  from: PanelPerson = person,
): Record<string, string> {
  const key = chosen === null ? {} : { "x-tollgate-key": chosen };
  return {
    cookie: from.cookie ?? "",
    origin: scene.gateway.url,
    "sec-fetch-site": "same-origin",
    ...key,
  };
}

/** Of every protocol: each passes over what another calls the same. */
function bodyOf(user: string, stream: boolean): object {
  const question = [{ role: "user", content: "Say something." }];
  const about = { user, metadata: { user_id: user } };
  return {
    model: "standard",
    max_tokens: 100,
    max_output_tokens: 100,
    stream,
    messages: question,
    input: question,
    ...about,
  };
}

const answering: Handler = async (exchange) => {
  const { stream } = exchange.request.json() as { stream?: boolean };
  if (stream !== true) return exchange.json(200, openAiCompletion(ANSWER));
  await exchange.sendAll(openAiStream(ANSWER));
  exchange.end();
};

/** Without what names this one request or tells its time. */
function essence({ status, headers, text, requestId }: Reply): object {
  const own = new Set(["x-request-id", "request-id", "date"]);
  const bare = requestId.replace(/^req_/, "");
  return {
    status,
    headers: Object.fromEntries([...headers].filter(([name]) => !own.has(name))),
    text: text
      .replaceAll(bare, "ID")
      .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0'),
  };
}

function receiptEssence(receipt: StoredReceipt): object {
  const attempts = (receipt.detail["attempts"] as object[]).map((attempt) =>
    without(attempt, "ms"),
  );
  return {
    ...without(receipt, "requestId", "startedAt", "recordedAt", "durationMs", "firstMs"),
    detail: { ...receipt.detail, attempts },
  };
}

function without(record: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

async function moves(accountId: string): Promise<string[]> {
  const page = await listEntries(scene.db, {
    accountId,
    limit: 100,
    cursor: null,
    moneyOnly: false,
  });
  return (page?.entries ?? []).map(({ kind, amountNano }) => `${kind} ${amountNano}`).toReversed();
}

for (const protocol of PROTOCOLS) {
  for (const stream of [true, false]) {
    test(`${stream ? "a stream" : "a whole answer"} of ${protocol} is answered, written down and charged as the API's`, async () => {
      const { user } = scene.play(answering);
      const ofApi = await post(`/v1/${protocol}`, bodyOf(user, stream), { "x-api-key": secret });
      assert.equal(ofApi.status, 200, ofApi.text);
      const first = await scene.receipt(ofApi.requestId);
      const before = await moves(person.accountId);
      const ofPanel = await post(`${AT_PANEL}/${protocol}`, bodyOf(user, stream), byPanel());
      assert.deepEqual(essence(ofPanel), essence(ofApi));
      const second = await scene.receipt(ofPanel.requestId);
      assert.ok(second.chargedNano > 0n);
      assert.deepEqual(receiptEssence(second), receiptEssence(first));
      const [, ...moved] = before;
      assert.deepEqual((await moves(person.accountId)).slice(before.length), moved);
      await scene.verifyBooks();
    });
  }
}

/** What pages get beside the error of the protocol, and the answer without it. */
function takeRefusal(reply: Reply): { readonly refusal: PanelError; readonly rest: Reply } {
  const { refusal, ...rest } = JSON.parse(reply.text) as { readonly refusal: PanelError };
  const headers = new Headers(reply.headers);
  const text = JSON.stringify(rest);
  headers.set("content-length", String(Buffer.byteLength(text)));
  return { refusal, rest: { ...reply, headers, text } };
}

test("a refused body is told in the protocol's own form, in the panel as in the API, and to pages by code as well", async () => {
  const mistakes = {
    "chat/completions": [{ max_tokens: 1, messages: [] }, "messages", "minItems"],
    messages: [{ max_tokens: 1, messages: [] }, "messages", "minItems"],
    responses: [{ max_output_tokens: 0, input: "a" }, "max_output_tokens", "minimum"],
  } as const;
  for (const protocol of PROTOCOLS) {
    const [mistaken, param, code] = mistakes[protocol];
    const body = { model: "nobody", ...mistaken };
    const ofApi = await post(`/v1/${protocol}`, body, { "x-api-key": secret });
    assert.equal(ofApi.status, 400, ofApi.text);
    const { refusal, rest } = takeRefusal(await post(`${AT_PANEL}/${protocol}`, body, byPanel()));
    assert.deepEqual(essence(rest), essence(ofApi));
    assert.deepEqual(
      [refusal.code, refusal.errors.map((error) => [error.param, error.code, error.params])],
      ["invalid_request", [[param, code, { limit: 1 }]]],
    );
  }
});

test("why there is no money, no room or no right is told to pages by its reason and figures, and nothing of it to callers of the API", async () => {
  const { secret: other } = await newKey(scene.db, person.accountId, { models: ["another"] });
  const { secret: spent } = await newKey(scene.db, person.accountId, {
    limit: { amountNano: nano(1n), period: "total" },
  });
  for (const protocol of PROTOCOLS) {
    const reasonOf = async (key: string): Promise<[string, string | null, object]> => {
      const body = bodyOf("nobody", true);
      const reply = await post(`${AT_PANEL}/${protocol}`, body, byPanel(hashOf(key)));
      const { refusal, rest } = takeRefusal(reply);
      const ofApi = await post(`/v1/${protocol}`, body, { "x-api-key": key });
      assert.deepEqual(essence(rest), essence(ofApi));
      assert.doesNotMatch(ofApi.text, /refusal|reason|params/);
      return [refusal.code, refusal.reason, refusal.params];
    };
    assert.deepEqual(await reasonOf(other), [
      "permission_denied",
      "model_not_allowed",
      { model: "standard" },
    ]);
    const [code, reason, params] = await reasonOf(spent);
    assert.deepEqual([code, reason], ["key_limit_exceeded", "funds_short"]);
    assert.deepEqual(
      { ...params, needed: "" },
      { of: "key", needed: "", available: "0.000000001", held: "0", next: "raise_limit" },
    );
  }
});

test("a stream that breaks ends as the API's, after an event that tells pages its code", async () => {
  const { user } = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream(ANSWER).slice(0, 2));
    exchange.destroy();
  });
  for (const protocol of PROTOCOLS) {
    const broken = async (path: string, headers: Record<string, string>): Promise<string> => {
      const response = await fetch(scene.gateway.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(bodyOf(user, true)),
      });
      const texts: string[] = [];
      try {
        for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
          texts.push(text);
      } catch {
        // It is broken off.
      }
      return texts.join("").split("\n\n").slice(-3).join("\n\n");
    };
    const ofApi = await broken(`/v1/${protocol}`, { "x-api-key": secret });
    assert.doesNotMatch(ofApi, /refusal/);
    const ofPanel = await broken(`${AT_PANEL}/${protocol}`, byPanel());
    assert.match(ofPanel, /^event: refusal\ndata: \{"refusal":\{"code":"upstream_error",/);
    assert.match(ofPanel, /The upstream broke off/);
  }
});

test("a quote of the panel is the API's", async () => {
  for (const protocol of PROTOCOLS) {
    const ofApi = await post(`/v1/quote/${protocol}`, bodyOf("nobody", true), {
      "x-api-key": secret,
    });
    const ofPanel = await post(`${AT_PANEL}/quote/${protocol}`, bodyOf("nobody", true), byPanel());
    assert.deepEqual([ofPanel.status, JSON.parse(ofPanel.text)], [200, JSON.parse(ofApi.text)]);
  }
});

test("without a session, a role, its own origin and a key of the account nothing is asked for and nothing held", async () => {
  const { user, requests } = scene.play([]);
  const stranger = await signUpAtPanel(scene.gateway);
  const { secret: strangers } = await newKey(scene.db, stranger.accountId);
  const { secret: deleted } = await newKey(scene.db, person.accountId);
  await deleteKey(scene.db, { hash: hashOf(deleted) });
  const { secret: frozen, key } = await newKey(scene.db, person.accountId);
  await scene.db.transaction((tx) => setKeyFrozen(tx, key, true));
  const expiresAt = new Date(Date.now() + 50);
  const { secret: expired } = await newKey(scene.db, person.accountId, { expiresAt });
  await until("the key to expire", async () => new Date() > expiresAt);
  const viewer = await signUpAtPanel(scene.gateway);
  const { secret: viewers } = await newKey(scene.db, viewer.accountId);
  await changeRole(scene.db, viewer.memberId, "viewer");

  const refusals: [what: string, headers: Record<string, string>, status: number][] = [
    ["no key", byPanel(null), 400],
    ["the secret", byPanel(secret), 400],
    ["the mask", byPanel(key.mask.replace("…", "...")), 400],
    ["a stranger's key", byPanel(hashOf(strangers)), 404],
    ["no key of anybody", byPanel("f".repeat(64)), 404],
    ["a deleted key", byPanel(hashOf(deleted)), 403],
    ["a frozen key", byPanel(hashOf(frozen)), 403],
    ["an expired key", byPanel(hashOf(expired)), 403],
    ["another origin", { ...byPanel(), origin: "https://evil.example" }, 403],
    ["a page of another site", { ...byPanel(), "sec-fetch-site": "cross-site" }, 403],
    [
      "no word of its origin",
      { cookie: person.cookie ?? "", "x-tollgate-key": hashOf(secret) },
      403,
    ],
    ["no session", { ...byPanel(), cookie: "" }, 401],
    [
      "a key's secret instead of a session",
      { ...byPanel(), cookie: "", authorization: `Bearer ${secret}` },
      401,
    ],
    ["a viewer", byPanel(hashOf(viewers), viewer), 403],
  ];
  for (const protocol of PROTOCOLS) {
    for (const [what, headers, status] of refusals) {
      const answer = await post(`${AT_PANEL}/${protocol}`, bodyOf(user, true), headers);
      assert.equal(answer.status, status, `${what}: ${answer.text}`);
      const { error, type } = JSON.parse(answer.text) as {
        error: { message: string; type: string };
        type?: string;
      };
      assert.ok(typeof error.type === "string" && typeof error.message === "string", answer.text);
      assert.equal(type, protocol === "messages" ? "error" : undefined);
      assert.ok(!answer.text.includes(secret));
    }
  }
  assert.equal(requests.length, 0);
  assert.deepEqual(
    await Promise.all([person, stranger, viewer].map(({ accountId }) => moves(accountId))),
    [["topup 100000000000"], [], []],
  );
});

test("the API takes neither the session nor the hash", async () => {
  for (const path of [
    ...PROTOCOLS.map((protocol) => `/v1/${protocol}`),
    "/v1/tasks/any",
    "/v1/quote/messages",
  ]) {
    for (const headers of [
      byPanel(),
      { "x-api-key": hashOf(secret) },
      { ...byPanel(), authorization: `Bearer ${hashOf(secret)}` },
    ]) {
      assert.equal((await post(path, bodyOf("nobody", true), headers)).status, 401, path);
    }
  }
});

test("two tabs with one idempotency key are one charge and one answer", async () => {
  const gate = createGate();
  const { user, requests } = scene.play([
    async (exchange) => {
      await gate.wait;
      await answering(exchange);
    },
  ]);
  const headers = { ...byPanel(), "idempotency-key": "two-tabs" };
  const tab = (): Promise<Reply> =>
    post(`${AT_PANEL}/chat/completions`, bodyOf(user, true), headers);
  const first = tab();
  await until("the first tab's request", async () => requests.length > 0);
  const early = await tab();
  assert.equal(early.status, 409, early.text);
  gate.open();
  const answered = await first;
  const late = await tab();
  assert.deepEqual([late.status, late.text], [200, answered.text]);
  assert.equal(late.headers.get("x-tollgate-original-request-id"), answered.requestId);
  assert.equal(requests.length, 1);
  assert.equal((await scene.receipts(person.accountId, 1)).length, 1);
});

test("the spend limit and the rate limits of the chosen key count what comes both ways", async () => {
  const { user } = scene.play(answering);
  const { secret: spent } = await newKey(scene.db, person.accountId, {
    limit: { amountNano: nano(1n), period: "total" },
  });
  const refused = await post(
    `${AT_PANEL}/chat/completions`,
    bodyOf(user, true),
    byPanel(hashOf(spent)),
  );
  assert.deepEqual(
    [refused.status, (JSON.parse(refused.text) as { error: { code: string } }).error.code],
    [402, "key_limit_exceeded"],
  );

  const { secret: slow } = await newKey(scene.db, person.accountId, { requestsPerMinute: 1 });
  assert.equal(
    (await post("/v1/chat/completions", bodyOf(user, true), { "x-api-key": slow })).status,
    200,
  );
  const limited = await post(
    `${AT_PANEL}/chat/completions`,
    bodyOf(user, true),
    byPanel(hashOf(slow)),
  );
  assert.equal(limited.status, 429, limited.text);
  assert.ok(Number(limited.headers.get("retry-after")) > 0);
});
