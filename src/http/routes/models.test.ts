/**
 * `GET /v1/models` as the official SDK and Messages clients read it: both shapes, ids with slashes,
 * prices, and only what the key may use.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { NotFoundError } from "openai";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import {
  AnthropicModel,
  AnthropicModelList,
  OpenAiModel,
  OpenAiModelList,
} from "../../contract/model-list.ts";

let endpoint: HttpEndpoint;
let accountId: string;
let secret: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  accountId = await newAccount(endpoint.db);
  ({ secret } = await newKey(endpoint.db, accountId));
});
after(() => endpoint.close());

const MESSAGES = { "anthropic-version": "2023-06-01" };
const IDS = ["sandbox-large", "vendor/model:free", "seedance-2", "vendor/film/2"];
/**
 * In the Messages shape: the current model of the family by an id of the family, then the chat
 * models.
 */
const MESSAGES_IDS = ["claude-opus-latest", "sandbox-large", "vendor/model:free"];

test("the OpenAI SDK lists the models and retrieves one by an id with a slash", async () => {
  const client = new OpenAI({ apiKey: secret, baseURL: `${endpoint.url}/v1`, maxRetries: 0 });
  const ids: string[] = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert.deepEqual(ids, IDS);
  assert.equal((await client.models.retrieve("vendor/model:free")).id, "vendor/model:free");
  await assert.rejects(
    client.models.retrieve("nothing"),
    (error) => error instanceof NotFoundError && error.code === "model_not_found",
  );
});

test("the Anthropic SDK pages through the models by itself, and retrieves one, also by a family id", async () => {
  const client = new Anthropic({ apiKey: secret, baseURL: endpoint.url, maxRetries: 0 });
  const ids: string[] = [];
  for await (const model of client.models.list({ limit: 1 })) ids.push(model.id);
  assert.deepEqual(ids, MESSAGES_IDS);
  const model = await client.models.retrieve("vendor/model:free");
  assert.deepEqual(
    [model.id, model.type, model.max_input_tokens, model.max_tokens],
    ["vendor/model:free", "model", 9000, 900],
  );
  assert.equal((await client.beta.models.retrieve("claude-opus-5-5")).id, "sandbox-large");
  await assert.rejects(client.models.retrieve("nothing"), Anthropic.NotFoundError);
});

test("?type= lists models of one type, in both shapes; a type that there is no model of is an empty list, and no type is a 400", async () => {
  const listed = async (query: string, headers: Record<string, string> = {}): Promise<string[]> => {
    const answer = await endpoint.get(`/v1/models?${query}`, { "x-api-key": secret, ...headers });
    assert.equal(answer.status, 200, answer.text);
    return answer.json<{ data: { id: string }[] }>().data.map(({ id }) => id);
  };
  assert.deepEqual(await listed("type=chat"), IDS.slice(0, 2));
  assert.deepEqual(await listed("type=task"), IDS.slice(2));
  assert.deepEqual(await listed("type=embedding"), []);
  assert.deepEqual(await listed("limit=1000", MESSAGES), MESSAGES_IDS);
  assert.deepEqual(await listed("type=chat", MESSAGES), MESSAGES_IDS);
  assert.deepEqual(await listed("type=task", MESSAGES), IDS.slice(2));
  const wrong = await endpoint.get("/v1/models?type=video", { "x-api-key": secret });
  assert.deepEqual(
    [wrong.status, wrong.json<{ error: { param: string } }>().error.param],
    [400, "type"],
  );
});

test("the current model of a family is listed by an id of the family, is found by it, and only where the key may use it", async () => {
  const { secret: narrow } = await newKey(endpoint.db, accountId, {
    models: ["vendor/model:free"],
  });
  const { secret: byFamily } = await newKey(endpoint.db, accountId, {
    models: ["claude-opus-latest"],
  });
  const ask = (path: string, key: string) => endpoint.get(path, { "x-api-key": key, ...MESSAGES });
  const [first] = (await ask("/v1/models", secret)).json<{ data: Record<string, unknown>[] }>()
    .data;
  assert.deepEqual(createMistakeFinder(AnthropicModel)(first), []);
  assert.deepEqual(
    [first?.["id"], first?.["display_name"], first?.["max_tokens"]],
    ["claude-opus-latest", "Sandbox Large", 32_000],
  );
  assert.equal((await ask("/v1/models/claude-opus-latest", secret)).status, 200);
  const idsOf = async (key: string) =>
    (await ask("/v1/models", key)).json<{ data: { id: string }[] }>().data.map(({ id }) => id);
  assert.deepEqual(
    [await idsOf(narrow), await idsOf(byFamily)],
    [["vendor/model:free"], ["claude-opus-latest"]],
  );
});

test("every entry says its type, endpoints and price, in the shape of the contract", async () => {
  const answer = await endpoint.get("/v1/models?limit=1000", { "x-api-key": secret });
  const body = answer.json<{ data: Record<string, unknown>[] }>();
  assert.deepEqual(createMistakeFinder(OpenAiModelList)(body), []);
  const [large, , task] = body.data;
  assert.deepEqual(large, {
    id: "sandbox-large",
    object: "model",
    created: 0,
    owned_by: "tollgate",
    type: "chat",
    endpoints: ["chat.completions", "messages", "responses"],
    price: {
      currency: "RUB",
      unit: "1M tokens",
      input: "150",
      cachedInput: "150",
      output: "600",
      reasoning: "600",
      image: "0",
      request: "0",
    },
    context_length: 200_000,
    max_output_tokens: 32_000,
  });
  assert.deepEqual(
    [task?.["type"], task?.["parameters"], task?.["endpoints"], task?.["price"]],
    [
      "task",
      "T9",
      ["tasks"],
      {
        currency: "RUB",
        unit: "second",
        quantity: "duration",
        amount: { by: "resolution", values: { "480p": "4", "720p": "8", "1080p": "16" } },
        multiply: [{ when: { generateAudio: true }, by: "2" }],
      },
    ],
  );
  assert.equal(answer.headers.get("vary"), "anthropic-version, accept-encoding");
});

test("one model, by its id raw, encoded and with a slash at the end, in both shapes", async () => {
  for (const path of [
    "/v1/models/vendor/model:free",
    "/v1/models/vendor%2Fmodel%3Afree",
    "/v1/models/vendor/model:free/",
    "/v1/models/vendor%2fmodel:free?beta=true",
  ]) {
    const openAi = await endpoint.get(path, { "x-api-key": secret });
    assert.equal(openAi.status, 200, path);
    assert.deepEqual(createMistakeFinder(OpenAiModel)(openAi.json()), []);
    const messages = await endpoint.get(path, { "x-api-key": secret, ...MESSAGES });
    assert.deepEqual(createMistakeFinder(AnthropicModel)(messages.json()), []);
    assert.deepEqual(
      [openAi.json<{ id: string }>().id, messages.json<{ id: string }>().id],
      ["vendor/model:free", "vendor/model:free"],
    );
  }
  for (const path of [
    "/v1/models/vendor",
    "/v1/models/vendor%252Fmodel:free",
    "/v1/models/SANDBOX-LARGE",
    "/v1/models/__proto__",
  ]) {
    const missing = await endpoint.get(path, { "x-api-key": secret });
    assert.deepEqual(
      [missing.status, missing.json<{ error: { code: string } }>().error.code],
      [404, "model_not_found"],
      path,
    );
  }
});

test("Messages clients page through the list in both directions", async () => {
  const page = async (query: string) => {
    const answer = await endpoint.get(`/v1/models${query}`, { "x-api-key": secret, ...MESSAGES });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(createMistakeFinder(AnthropicModelList)(answer.json()), []);
    const { data, has_more, first_id, last_id } = answer.json<{
      data: { id: string }[];
      has_more: boolean;
      first_id: string | null;
      last_id: string | null;
    }>();
    return [data.map(({ id }) => id), has_more, first_id, last_id];
  };
  const [family, large, free] = MESSAGES_IDS;
  assert.deepEqual(await page(""), [MESSAGES_IDS, false, family, free]);
  assert.deepEqual(await page("?limit=1000"), [MESSAGES_IDS, false, family, free]);
  assert.deepEqual(await page("?limit=2"), [[family, large], true, family, large]);
  assert.deepEqual(await page(`?limit=2&after_id=${family}`), [[large, free], false, large, free]);
  assert.deepEqual(await page(`?limit=1&before_id=${free}`), [[large], true, large, large]);
  assert.deepEqual(await page(`?after_id=${free}`), [[], false, null, null]);
  for (const query of [
    "?limit=0",
    "?limit=1001",
    "?limit=abc",
    "?limit=1&limit=2",
    "?after_id=nothing",
    "?after_id=sandbox-large&before_id=sandbox-large",
  ]) {
    const refused = await endpoint.get(`/v1/models${query}`, { "x-api-key": secret, ...MESSAGES });
    assert.deepEqual(
      [refused.status, refused.json<{ error: { type: string } }>().error.type],
      [400, "invalid_request_error"],
      query,
    );
  }
});

test("a key sees only the models that it may use; the others look as if they were not there", async () => {
  const { secret: narrow } = await newKey(endpoint.db, accountId, { models: ["seedance-2"] });
  const list = await endpoint.get("/v1/models", { "x-api-key": narrow });
  assert.deepEqual(
    list.json<{ data: { id: string }[] }>().data.map(({ id }) => id),
    ["seedance-2"],
  );
  const hidden = await endpoint.get("/v1/models/sandbox-large", { "x-api-key": narrow });
  const missing = await endpoint.get("/v1/models/sandbox-lxrge", { "x-api-key": narrow });
  assert.deepEqual([hidden.status, hidden.text], [404, missing.text.replace("lxrge", "large")]);
});

test("a family id answers the model that it stands for, so that a client that probes its model finds it; OpenAI's list has real models only", async () => {
  for (const headers of [{}, MESSAGES]) {
    const answer = await endpoint.get("/v1/models/claude-opus-4-5", {
      "x-api-key": secret,
      ...headers,
    });
    assert.deepEqual([answer.status, answer.json<{ id: string }>().id], [200, "sandbox-large"]);
  }
  assert.ok(
    !(await endpoint.get("/v1/models?limit=1000", { "x-api-key": secret })).text.includes(
      "claude-",
    ),
  );
  assert.equal(
    (await endpoint.get("/v1/models/claude-sonnet-4-5", { "x-api-key": secret })).status,
    404,
    "nothing stands behind it",
  );
  assert.equal(
    (await endpoint.get("/v1/models/Claude-Opus-4-5", { "x-api-key": secret })).status,
    404,
  );
});

test("a key limited to models finds a family id by either of its names", async () => {
  for (const [models, status] of [
    [["sandbox-large"], 200],
    [["claude-opus-4-5"], 200],
    [["claude-opus-4-1"], 404],
    [["seedance-2"], 404],
  ] as const) {
    const { secret: narrow } = await newKey(endpoint.db, accountId, { models });
    assert.equal(
      (await endpoint.get("/v1/models/claude-opus-4-5", { "x-api-key": narrow })).status,
      status,
      models[0],
    );
  }
});

test("Claude Code's discovery: one page, an id of its family first, by a bearer token, with the sizes that it shows", async () => {
  const answer = await endpoint.get("/v1/models?limit=1000", {
    authorization: `Bearer ${secret}`,
    ...MESSAGES,
  });
  const { data, has_more: more } = answer.json<{
    data: Record<string, unknown>[];
    has_more: boolean;
  }>();
  assert.deepEqual([data.map(({ id }) => id), more], [MESSAGES_IDS, false]);
  const [, large] = data;
  assert.deepEqual(
    [
      large?.["type"],
      large?.["display_name"],
      large?.["created_at"],
      large?.["max_input_tokens"],
      large?.["max_tokens"],
    ],
    ["model", "Sandbox Large", "1970-01-01T00:00:00.000Z", 200_000, 32_000],
  );
});
