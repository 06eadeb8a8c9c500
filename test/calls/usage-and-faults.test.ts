/**
 * Guarantee: whatever an upstream says of its usage, or fails with, a call is charged what can be
 * true, never more than was held, and nothing where its caller got nothing (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openChatScene,
  UPSTREAM_CREDENTIAL,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import type { Handler } from "../support/scripted-upstream.ts";
import {
  callsCatalogue,
  COMPLETION_PRICE,
  EMBEDDING_PRICE,
  embeddingAnswer,
  MODERATION_PRICE,
  RERANK_DOCUMENT_NANO,
  RERANK_REQUEST_NANO,
} from "./calls-catalogue.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: callsCatalogue });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
});

interface Asked extends ChatAnswer {
  readonly customer: ChatCustomer;
  readonly charged: bigint;
  readonly receipt: Awaited<ReturnType<ChatScene["receipt"]>>;
  readonly json: Record<string, unknown>;
}

/** One call of a new customer, answered by the script. */
async function ask(
  path: string,
  body: object,
  script: Handler | readonly Handler[],
): Promise<Asked> {
  const customer = await scene.customer();
  const { user } = scene.play(script);
  const answer = await postChat(scene.gateway.url, customer.secret, { ...body, user }, path).answer;
  const [receipt] = await scene.receipts(customer.accountId, 1);
  assert.ok(receipt !== undefined);
  const { charged, held } = await scene.money(customer.accountId);
  assert.equal(held, 0n);
  let json: Record<string, unknown> = {};
  if (String(answer.headers["content-type"]).includes("json"))
    json = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  return { ...answer, customer, charged, receipt, json };
}

const TEXT = "One two three four five.";
/** By o200k_base. */
const TEXT_TOKENS = 6;
const tokensNano = (tokens: number): bigint => BigInt(tokens * EMBEDDING_PRICE * 1000);

const USAGES: readonly {
  readonly name: string;
  readonly usage: unknown;
  /** Tokens that are charged. */
  readonly tokens: number;
  readonly source: "upstream" | "counted";
  readonly suspicious?: true;
}[] = [
  { name: "true", usage: { prompt_tokens: 8, total_tokens: 8 }, tokens: 8, source: "upstream" },
  { name: "a total alone", usage: { total_tokens: 9 }, tokens: 9, source: "upstream" },
  { name: "zero, which is not absent", usage: { prompt_tokens: 0 }, tokens: 0, source: "upstream" },
  { name: "absent", usage: undefined, tokens: TEXT_TOKENS, source: "counted" },
  { name: "null", usage: null, tokens: TEXT_TOKENS, source: "counted" },
  { name: "empty", usage: {}, tokens: TEXT_TOKENS, source: "counted" },
  {
    name: "negative",
    usage: { prompt_tokens: -3 },
    tokens: TEXT_TOKENS,
    source: "counted",
    suspicious: true,
  },
  {
    name: "a text",
    usage: "many",
    tokens: TEXT_TOKENS,
    source: "counted",
    suspicious: true,
  },
  {
    name: "impossible: more than the bytes that were sent",
    usage: { prompt_tokens: 5_000_000_000 },
    tokens: TEXT_TOKENS,
    source: "counted",
    suspicious: true,
  },
];

for (const { name, usage, tokens, source, suspicious } of USAGES)
  test(`usage ${name}`, async () => {
    const { status, charged, receipt, json } = await ask(
      "/v1/embeddings",
      { model: "embed", input: TEXT },
      (exchange) => exchange.json(200, { ...embeddingAnswer(1, null), usage }),
    );
    assert.equal(status, 200);
    assert.equal(json["model"], "embed");
    assert.equal(charged, tokensNano(tokens));
    assert.equal(receipt.detail["usageSource"], source);
    assert.equal((receipt.detail["suspicion"] ?? null) !== null, suspicious === true);
    if (source === "counted")
      assert.deepEqual(json["usage"], { prompt_tokens: tokens, total_tokens: tokens });
  });

test("an upstream that counts more than was held for, but no more than can be, is charged in full", async () => {
  // Thirty bytes; the estimate holds fewer tokens.
  const { charged, receipt } = await ask(
    "/v1/embeddings",
    { model: "embed", input: TEXT },
    (exchange) => exchange.json(200, embeddingAnswer(1, 24)),
  );
  assert.equal(charged, tokensNano(24));
  assert.equal(receipt.detail["suspicion"] ?? null, null);
});

test("token ids count as many tokens as there are, and pass as they came", async () => {
  const input = [
    [1, 2, 3],
    [4, 5],
  ];
  const { charged } = await ask("/v1/embeddings", { model: "embed", input }, (exchange) => {
    assert.deepEqual((exchange.request.json() as { input: unknown }).input, input);
    exchange.json(200, embeddingAnswer(2, null));
  });
  assert.equal(charged, tokensNano(5));
});

test("unknown fields pass, bytes beside the model stay, and the operator's key is the only credential", async () => {
  const customer = await scene.customer();
  const { user } = scene.play((exchange) => {
    assert.equal(
      exchange.request.body.toString(),
      `{ "input" : ["a",  "b"], "late_chunking":true, "user":"${user}", "model":"up-embed"}`,
    );
    assert.equal(exchange.request.path, "/v1/embeddings");
    assert.equal(exchange.request.headers.authorization, `Bearer ${UPSTREAM_CREDENTIAL}`);
    exchange.json(200, embeddingAnswer(2, 2));
  });
  const body = `{ "input" : ["a",  "b"], "late_chunking":true, "user":"${user}", "model":"embed"}`;
  const { answer } = postChat(scene.gateway.url, customer.secret, body, "/v1/embeddings");
  assert.equal((await answer).status, 200);
});

const UNANSWERED: readonly {
  readonly name: string;
  readonly script: Handler;
  readonly status: number;
  readonly code: string;
}[] = [
  {
    name: "a refusal that is the caller's",
    script: (exchange) =>
      exchange.json(400, { error: { message: "input is too odd", type: "invalid_request_error" } }),
    status: 400,
    code: "invalid_request",
  },
  {
    name: "a refused credential",
    script: (exchange) => exchange.json(401, { error: { message: `bad ${UPSTREAM_CREDENTIAL}` } }),
    status: 502,
    code: "upstream_error",
  },
  {
    name: "a failure",
    script: (exchange) => exchange.json(500, { error: { message: "boom" } }),
    status: 502,
    code: "upstream_error",
  },
  {
    name: "an error under status 200",
    script: (exchange) => exchange.json(200, { error: { message: "boom" } }),
    status: 502,
    code: "upstream_error",
  },
  {
    name: "a page",
    script: async (exchange) => {
      exchange.head(200, { "content-type": "text/html" });
      await exchange.send("<html>");
      exchange.end();
    },
    status: 502,
    code: "upstream_error",
  },
  {
    name: "JSON that is cut",
    script: async (exchange) => {
      exchange.head(200, { "content-type": "application/json" });
      await exchange.send('{"object":"list","data":[{"embedding":[0.1,');
      exchange.end();
    },
    status: 502,
    code: "upstream_error",
  },
  {
    name: "no list",
    script: (exchange) => exchange.json(200, { object: "list", usage: { prompt_tokens: 3 } }),
    status: 502,
    code: "upstream_error",
  },
  {
    name: "a connection that breaks",
    script: (exchange) => exchange.destroy(),
    status: 502,
    code: "upstream_error",
  },
];

for (const { name, script, status, code } of UNANSWERED)
  test(`${name} costs nothing and is told in OpenAI's form`, async () => {
    const again = Array.from({ length: 6 }, () => script);
    const asked = await ask("/v1/embeddings", { model: "embed", input: TEXT }, again);
    assert.equal(asked.status, status);
    assert.equal(asked.charged, 0n);
    assert.equal(asked.receipt.state, "failed");
    const { error } = asked.json as { error: { code: string | null; message: string } };
    if (status === 502) assert.equal(error.code, code);
    assert.ok(!asked.body.toString().includes(UPSTREAM_CREDENTIAL));
    assert.ok(!asked.body.toString().includes("up-embed"));
  });

test("a route that fails, or does not run, gives way to the next one", async () => {
  const failing: Handler = (exchange) => exchange.json(503, { error: { message: "busy" } });
  const backed = await ask("/v1/embeddings", { model: "embed-backed", input: TEXT }, [
    failing,
    (exchange) => exchange.json(200, embeddingAnswer(1, 6)),
  ]);
  assert.equal(backed.status, 200);
  assert.deepEqual(
    (backed.receipt.detail["attempts"] as { outcome: string; model: string }[]).map(
      ({ outcome, model }) => [model, outcome],
    ),
    [
      ["up-first", "failed"],
      ["up-embed", "served"],
    ],
  );
  const orphaned = await ask(
    "/v1/embeddings",
    { model: "embed-orphaned", input: TEXT },
    (exchange) => exchange.json(200, embeddingAnswer(1, 6)),
  );
  assert.equal(orphaned.charged, tokensNano(6));
});

test("rerank by the document and by the request, moderations by the token", async () => {
  const documents = ["a", "b", "c"];
  const results = { results: [{ index: 0, relevance_score: 1 }], meta: { billed_units: {} } };
  const body = { query: "q", documents };
  const script: Handler = (exchange) => exchange.json(200, results);
  const ranked = await ask("/v1/rerank", { ...body, model: "rank" }, script);
  assert.equal(ranked.charged, 3n * RERANK_DOCUMENT_NANO);
  // What has no name of a model gets none.
  assert.deepEqual(ranked.json, results);
  const each = await ask("/v1/rerank", { ...body, model: "rank-each" }, script);
  assert.equal(each.charged, RERANK_REQUEST_NANO);
  // Three of a thousand documents at 3 roubles.
  assert.equal(each.receipt.costNano, 9_000_000n);
  const judged = await ask("/v1/moderations", { model: "judge-tokens", input: TEXT }, (exchange) =>
    exchange.json(200, { id: "m", model: "up-judge", results: [] }),
  );
  assert.equal(judged.charged, BigInt(TEXT_TOKENS * MODERATION_PRICE * 1000));
});

const PIECE = (text: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "text_completion", created: 1, model: "up-complete", choices: [{ index: 0, text, finish_reason: finish }] })}\n\n`;
const COMPLETION = { model: "complete", prompt: TEXT, max_tokens: 50, stream: true };
const completionNano = (input: number, output: number): bigint =>
  BigInt((input * COMPLETION_PRICE.input + output * COMPLETION_PRICE.output) * 1000);

test("a stream that breaks off is charged for what was delivered, and looks broken", async () => {
  const asked = await ask("/v1/completions", COMPLETION, async (exchange) => {
    await exchange.sendAll([PIECE(" one"), PIECE(" two")]);
    exchange.destroy();
  });
  assert.equal(asked.status, 200);
  assert.equal(asked.broken, true);
  assert.match(asked.body.toString(), /"error":/);
  assert.ok(!asked.body.toString().includes("[DONE]"));
  assert.equal(asked.receipt.state, "interrupted");
  assert.equal(asked.charged, completionNano(TEXT_TOKENS, 2));
});

test("a stream that fails before its first word is a status, and costs nothing", async () => {
  const error = `data: ${JSON.stringify({ error: { message: "no", code: 500 } })}\n\n`;
  const asked = await ask("/v1/completions", COMPLETION, [
    async (exchange) => {
      await exchange.send(error);
      exchange.end();
    },
  ]);
  assert.equal(asked.status, 502);
  assert.equal(asked.charged, 0n);
});

test("a stream without usage is counted, without the prompt that is given back", async () => {
  const asked = await ask("/v1/completions", { ...COMPLETION, echo: true }, async (exchange) => {
    await exchange.sendAll([PIECE(TEXT), PIECE(" one"), PIECE("", "stop"), "data: [DONE]\n\n"]);
    exchange.end();
  });
  assert.equal(asked.charged, completionNano(TEXT_TOKENS, 1));
  assert.equal(asked.receipt.detail["usageSource"], "counted");
});

test("a whole answer in place of a stream is streamed as one", async () => {
  const whole = {
    id: "c",
    object: "text_completion",
    created: 1,
    model: "up-complete",
    choices: [{ index: 0, text: " one", finish_reason: "stop" }],
    usage: { prompt_tokens: 6, completion_tokens: 1, total_tokens: 7 },
  };
  const asked = await ask("/v1/completions", COMPLETION, (exchange) => exchange.json(200, whole));
  assert.match(asked.body.toString(), /^data: .*" one".*\n\ndata: \[DONE\]\n\n$/su);
  assert.equal(asked.charged, completionNano(6, 1));
});

test("several completions of several prompts are held for and charged, output beyond them is not believed", async () => {
  const body = {
    ...COMPLETION,
    stream: false,
    prompt: ["a", "b"],
    n: 2,
    best_of: 3,
    max_tokens: 5,
  };
  const usage = { prompt_tokens: 2, completion_tokens: 30, total_tokens: 32 };
  const whole = { object: "text_completion", choices: [{ index: 0, text: "x" }], usage };
  const asked = await ask("/v1/completions", body, (exchange) => exchange.json(200, whole));
  assert.equal(asked.charged, completionNano(2, 30));
  const beyond = { ...whole, usage: { ...usage, completion_tokens: 31 } };
  const disbelieved = await ask("/v1/completions", body, (exchange) => exchange.json(200, beyond));
  assert.equal(disbelieved.charged, completionNano(2, 1));
  assert.ok((disbelieved.receipt.detail["suspicion"] ?? null) !== null);
});
