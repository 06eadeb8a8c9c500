/**
 * Guarantee: a body that is not valid, too deep or too large, a model of another endpoint, a key that
 * may not: each is refused in OpenAI's form, by name, before anything is held or sent.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { postChat } from "../support/post-chat.ts";
import { callsCatalogue } from "./calls-catalogue.ts";

let scene: ChatScene;
let customer: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue: callsCatalogue });
  customer = await scene.customer();
});
after(async () => {
  assert.equal(scene.upstream.requests.length, 0);
  const { charged, held } = await scene.money(customer.accountId);
  assert.deepEqual([charged, held], [0n, 0n]);
  await scene.close();
});

interface Refusal {
  readonly status: number;
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string | null;
    readonly param: string | null;
  };
}

async function refused(path: string, body: unknown, secret = customer.secret): Promise<Refusal> {
  const { answer } = postChat(scene.gateway.url, secret, body, path);
  const { status, body: bytes } = await answer;
  return { status, ...(JSON.parse(bytes.toString()) as Pick<Refusal, "error">) };
}

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

const BODIES: readonly (readonly [
  name: string,
  path: string,
  body: unknown,
  param: string | null,
])[] = [
  ["nothing", "embeddings", "", null],
  ["no object", "embeddings", "[1]", null],
  ["broken JSON", "embeddings", '{"model": "embed", "input": "a"', null],
  ["not UTF-8", "embeddings", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), null],
  ["no model", "embeddings", { input: "a" }, "model"],
  ["a model that is none", "embeddings", { model: 5, input: "a" }, "model"],
  ["no input", "embeddings", { model: "embed" }, "input"],
  ["an input that is a number", "embeddings", { model: "embed", input: 5 }, "input"],
  ["an input that is an object", "embeddings", { model: "embed", input: { text: "a" } }, "input"],
  ["an empty list", "embeddings", { model: "embed", input: [] }, "input"],
  ["objects as inputs", "embeddings", { model: "embed", input: [{ image: "x" }] }, "input[0]"],
  ["fractions as ids", "embeddings", { model: "embed", input: [1, 2.5] }, "input[1]"],
  ["negative ids", "embeddings", { model: "embed", input: [[1], [-1]] }, "input[1][0]"],
  ["an empty list of ids", "embeddings", { model: "embed", input: [[1], []] }, "input[1]"],
  [
    "2,049 inputs",
    "embeddings",
    { model: "embed", input: Array.from({ length: 2049 }, () => "a") },
    "input",
  ],
  ["too deep", "embeddings", `{"model":"embed","input":"a","x":${nested(300)}}`, null],
  [
    "more values than a body may hold",
    "embeddings",
    `{"model":"embed","input":[${"1,".repeat(1_100_000)}1]}`,
    null,
  ],
  ["two inputs of one name", "embeddings", '{"model":"embed","input":"a","input":"bb"}', "input"],
  ["another spelling", "embeddings", '{"model":"embed","Input":"a","input":"b"}', "Input"],
  [
    "what is dearer unpriced",
    "embeddings",
    { model: "embed", input: "a", service_tier: "priority" },
    "service_tier",
  ],
  ["a query of a wrong type", "rerank", { model: "rank", query: 1, documents: ["a"] }, "query"],
  ["no documents", "rerank", { model: "rank", query: "q", documents: [] }, "documents"],
  [
    "too many documents",
    "rerank",
    { model: "rank", query: "q", documents: Array.from({ length: 10_001 }, () => "") },
    "documents",
  ],
  [
    "an image where tokens are paid for",
    "moderations",
    { model: "judge-tokens", input: [{ type: "image_url", image_url: { url: "https://x/y" } }] },
    "input[0]",
  ],
  [
    "an unknown part",
    "moderations",
    { model: "judge", input: [{ type: "audio", audio: "" }] },
    "input[0]",
  ],
  ["many choices", "completions", { model: "complete", prompt: "a", n: 1e6 }, "n"],
  [
    "a negative limit",
    "completions",
    { model: "complete", prompt: "a", max_tokens: -1 },
    "max_tokens",
  ],
  ["an odd option", "completions", { model: "complete", prompt: "a", stream: "yes" }, "stream"],
];

for (const [name, path, body, param] of BODIES)
  test(`${path}: ${name}`, async () => {
    const { status, error } = await refused(`/v1/${path}`, body);
    assert.equal(status, 400, JSON.stringify(error));
    assert.equal(error.type, "invalid_request_error");
    assert.equal(error.param, param, error.message);
    assert.ok(error.message.length > 10);
  });

test("a model that is not there is a 404, one of another endpoint a 400, both ways", async () => {
  const input = "a";
  const missing = await refused("/v1/embeddings", { model: "nothing", input });
  assert.deepEqual([missing.status, missing.error.code], [404, "model_not_found"]);
  for (const model of ["talk", "rank", "complete"]) {
    const { status, error } = await refused("/v1/embeddings", { model, input });
    assert.deepEqual([status, error.param], [400, "model"]);
  }
  const messages = [{ role: "user", content: "a" }];
  const chat = await refused("/v1/chat/completions", { model: "embed", messages });
  assert.deepEqual([chat.status, chat.error.param], [400, "model"]);
});

test("a key that may use other models, an unknown key, an empty balance", async () => {
  const body = { model: "embed", input: "a" };
  const narrow = await scene.customer({ key: { models: ["rank"] } });
  assert.equal((await refused("/v1/embeddings", body, narrow.secret)).status, 403);
  const unknown = await refused("/v1/embeddings", body, "tg_live_x");
  assert.deepEqual([unknown.status, unknown.error.code], [401, "invalid_api_key"]);
  const poor = await scene.customer({ roubles: "0.00001" });
  const short = await refused("/v1/embeddings", { ...body, input: "one two three" }, poor.secret);
  assert.deepEqual([short.status, short.error.code], [402, "insufficient_balance"]);
});

test("paths of other gateways are told what to use", async () => {
  const cohere = await refused("/v2/rerank", {});
  assert.equal(cohere.status, 404);
  assert.match(cohere.error.message, /POST \/v1\/rerank/);
});
