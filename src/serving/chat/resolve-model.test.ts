/**
 * Guards which model a request means (contract §5): exact ids before families, and a fault that
 * says why for everything else.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "../../catalogue/catalogue.ts";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import { Fault } from "../../kernel/faults.ts";
import type { FaultCode } from "../../kernel/faults.ts";
import { nano } from "../../kernel/money.ts";
import { resolveChatModel } from "./resolve-model.ts";

const ZERO = nano(0n);
const PRICE = {
  input: ZERO,
  cachedInput: ZERO,
  cacheWrite5m: ZERO,
  cacheWrite1h: ZERO,
  output: ZERO,
  reasoning: ZERO,
  image: ZERO,
  request: ZERO,
};

function chat(id: string, endpoints: readonly ChatEndpoint[]): Model {
  return {
    id,
    type: "chat",
    endpoints,
    contextTokens: 1000,
    maxOutputTokens: 100,
    reasoning: false,
    imageTokens: 1000,
    price: PRICE,
    routes: [],
  };
}

const CLIP: Model = {
  id: "clip",
  type: "task",
  parameters: "T1",
  price: {
    unit: "clip",
    quantity: { kind: "number", value: { digits: 1n, scale: 0 } },
    amount: { kind: "amount", perUnitNano: ZERO },
    multiply: [],
  },
  deadlineSeconds: 60,
  routes: [],
};

const models = new Map(
  [
    chat("large", CHAT_ENDPOINTS),
    chat("medium", ["messages"]),
    chat("claude-opus-4-1", ["messages"]),
    chat("plain", ["chat.completions"]),
    CLIP,
  ].map((model) => [model.id, model]),
);
const CATALOGUE = {
  models,
  families: {
    prefix: "claude",
    tiers: [
      { tier: "large", match: "opus", model: "large", listAs: "claude-opus-latest" },
      { tier: "medium", match: "sonnet", model: "medium", listAs: "claude-sonnet-latest" },
      { tier: "small", match: "haiku", model: "gone", listAs: "claude-haiku-latest" },
    ],
  },
} as const;

function resolved(id: string, endpoint: ChatEndpoint): readonly [string, string | null] {
  const { model, answerModel } = resolveChatModel(CATALOGUE, id, endpoint);
  return [model.id, answerModel];
}

test("an answer names the model by the id that it was sold by", () => {
  assert.deepEqual(resolved("large", "messages"), ["large", "large"]);
  assert.deepEqual(resolved("plain", "chat.completions"), ["plain", "plain"]);
});

test("the upstream's word passes where the catalogue says so of a model, by whichever id it is asked for", () => {
  const models = new Map(CATALOGUE.models).set("large", {
    ...chat("large", ["messages"]),
    answerModel: "upstream",
  } as Model);
  for (const id of ["large", "claude-opus-4-5"])
    assert.equal(resolveChatModel({ ...CATALOGUE, models }, id, "messages").answerModel, null);
});

test("a family id is answered as the model that it stands for, at every chat endpoint", () => {
  for (const endpoint of CHAT_ENDPOINTS)
    assert.deepEqual(resolved("claude-opus-4-5", endpoint), ["large", "large"]);
  assert.deepEqual(resolved("claude-sonnet-4-5-20250929", "messages"), ["medium", "medium"]);
});

test("a model of the catalogue goes before the family that its id would fit", () => {
  assert.deepEqual(resolved("claude-opus-4-1", "messages"), ["claude-opus-4-1", "claude-opus-4-1"]);
});

test("what is not there, or not at this endpoint, is refused with its name", () => {
  const cases: readonly (readonly [
    id: string,
    endpoint: ChatEndpoint,
    code: FaultCode,
    says: RegExp,
  ])[] = [
    ["nothing", "messages", "model_not_found", /"nothing"/],
    ["Large", "messages", "model_not_found", /"Large"/],
    ["Claude-Opus-4", "messages", "model_not_found", /"Claude-Opus-4"/],
    ["claude-instant-1", "messages", "model_not_found", /"claude-instant-1"/],
    ["claude-haiku-4-5", "messages", "model_not_found", /"claude-haiku-4-5"/],
    ["__proto__", "messages", "model_not_found", /"__proto__"/],
    ["plain", "messages", "wrong_endpoint", /"plain" is not served/],
    ["clip", "chat.completions", "wrong_endpoint", /"clip" is not served/],
    [
      "claude-sonnet-4-5",
      "chat.completions",
      "wrong_endpoint",
      /"claude-sonnet-4-5", which stands for "medium",/,
    ],
  ];
  for (const [id, endpoint, code, says] of cases) {
    assert.throws(
      () => resolveChatModel(CATALOGUE, id, endpoint),
      (error) =>
        error instanceof Fault &&
        error.code === code &&
        error.details.param === "model" &&
        says.test(error.message),
      `${id} at ${endpoint}`,
    );
  }
});
