/** Protects: lists of models are read as vendors send them, and no price is taken from what is none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readModelList } from "./read-model-list.ts";

const OPENROUTER = {
  data: [
    {
      id: "openai/gpt-4",
      canonical_slug: "openai/gpt-4",
      name: "GPT-4",
      created: 1_692_901_234,
      pricing: {
        prompt: "0.00003",
        completion: "0.00006",
        request: "0",
        image: "0",
        input_cache_read: "0.0000015",
      },
      context_length: 8_192,
      architecture: { modality: "text->text" },
      top_provider: { is_moderated: true, max_completion_tokens: 4_096 },
    },
  ],
  total_count: 150,
  links: { next: "/api/v1/models?offset=500&limit=500" },
};

function listOf(json: unknown) {
  const reading = readModelList(json);
  assert.ok(reading.kind === "list");
  return reading;
}

test("OpenRouter's list has prices for a token, a context, and a next page", () => {
  const { models, next } = listOf(OPENROUTER);
  const [model] = models;
  assert.deepEqual(
    [model?.id, model?.name, model?.contextTokens, model?.maxOutputTokens, model?.odd],
    ["openai/gpt-4", "GPT-4", 8_192, 4_096, []],
  );
  assert.deepEqual(
    [...(model?.prices ?? [])].map(([kind, { digits, scale }]) => `${kind} ${digits}/${scale}`),
    ["input 3/5", "cachedInput 15/7", "output 6/5"],
    "nought for a request says that there is no such price",
  );
  assert.equal(next, "offset=500&limit=500");
});

test("lists without prices are ids, and Anthropic's goes on behind its last", () => {
  const openai = listOf({ object: "list", data: [{ id: "a", object: "model" }, { id: "b" }] });
  assert.deepEqual(
    openai.models.map(({ id, prices }) => [id, prices.size]),
    [
      ["a", 0],
      ["b", 0],
    ],
  );
  assert.equal(openai.next, null);
  const anthropic = listOf({ data: [{ id: "c", display_name: "C" }], has_more: true });
  assert.equal(anthropic.models[0]?.name, "C");
  assert.equal(anthropic.next, "limit=1000&after_id=c");
});

test("prices below zero and words are told by name, and entries without an id are left out", () => {
  const { models } = listOf({
    data: [
      { id: "router", pricing: { prompt: "-1", completion: "-1" } },
      { id: "words", pricing: { prompt: "free", completion: [] } },
      { id: 7 },
      null,
      { id: "free", pricing: { prompt: "0", completion: "0" } },
    ],
  });
  assert.deepEqual(
    models.map(({ id, odd, prices }) => [id, odd, [...prices.keys()]]),
    [
      ["router", ["prompt", "completion"], []],
      ["words", ["prompt", "completion"], []],
      ["free", [], ["input", "output"]],
    ],
  );
});

test("what is no list is none, and a next page never leads elsewhere", () => {
  for (const json of [null, [], "x", {}, { data: "x" }, { data: [1, null] }, undefined])
    assert.equal(readModelList(json).kind, "none");
  for (const next of ["https://elsewhere.example/x?y=<z>", "/x", "?a=b#c", "?a=b c", 7])
    assert.equal(listOf({ data: [{ id: "a" }], links: { next } }).next, null);
});
