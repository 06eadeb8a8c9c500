/** Protects: an answer is shown as far as it is there, whatever an upstream makes of its shape. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  completionsIn,
  cosineOf,
  imagesIn,
  judgementsIn,
  rankingIn,
  transcriptIn,
  vectorsIn,
  type CallAnswer,
} from "./read-answer.ts";

const json = (body: unknown): CallAnswer => ({ kind: "json", body });

test("vectors stand in the order of their inputs, and the cosine is that of two directions", () => {
  const answer = json({
    data: [
      { index: 1, embedding: [0, 2] },
      { index: 0, embedding: [1, 0] },
    ],
  });
  assert.deepEqual(vectorsIn(answer), [
    [1, 0],
    [0, 2],
  ]);
  assert.equal(cosineOf([1, 0], [0, 2]), 0);
  assert.equal(cosineOf([3, 4], [6, 8]), 1);
  assert.equal(cosineOf([1], [-5]), -1);
  assert.equal(cosineOf([1, 0], [1]), null);
  assert.equal(cosineOf([0, 0], [1, 0]), null);
});

test("a judgement has its categories, the likeliest first, also where no score is given", () => {
  const [judged] = judgementsIn(
    json({
      results: [
        {
          flagged: true,
          categories: { hate: false, violence: true, odd: false },
          category_scores: { hate: 0.2, violence: 0.9 },
        },
      ],
    }),
  );
  assert.deepEqual(judged, {
    flagged: true,
    categories: [
      { name: "violence", flagged: true, score: 0.9 },
      { name: "hate", flagged: false, score: 0.2 },
      { name: "odd", flagged: false, score: null },
    ],
  });
});

test("images are shown by address or by their bytes, texts whole or out of JSON", () => {
  assert.deepEqual(
    imagesIn(json({ output_format: "jpeg", data: [{ url: "/a.png" }, { b64_json: "AAAA" }, {}] })),
    ["/a.png", "data:image/jpeg;base64,AAAA"],
  );
  assert.equal(transcriptIn({ kind: "text", text: "WEBVTT" }), "WEBVTT");
  assert.equal(transcriptIn(json({ text: "heard" })), "heard");
  assert.deepEqual(completionsIn(json({ choices: [{ text: "a" }, { text: "b" }] })), ["a", "b"]);
});

test("what is of no known shape is nothing", () => {
  for (const body of [null, 5, "x", [], {}, { data: 5, results: "x", choices: null, text: 1 }]) {
    const answer = json(body);
    for (const read of [vectorsIn, rankingIn, judgementsIn, imagesIn, completionsIn])
      assert.deepEqual(read(answer), []);
    assert.equal(transcriptIn(answer), "");
  }
  assert.deepEqual(
    rankingIn(json({ results: [{ index: "a", relevance_score: 1 }, { index: 0 }] })),
    [],
  );
});
