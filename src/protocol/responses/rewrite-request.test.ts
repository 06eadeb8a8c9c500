/**
 * Nothing of a conversation is looked for or kept at an upstream, where all callers are one account;
 * the answer says what its own caller asked for.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeal } from "../../kernel/seal.ts";
import { responsesDialect } from "./dialect.ts";

const BODY = { model: "m", input: "hi", previous_response_id: "resp_ours", store: true };

function requestOf(body: object) {
  const reading = responsesDialect.readRequest(Buffer.from(JSON.stringify(body)));
  assert.ok(reading.ok);
  return reading.request;
}

test("an upstream of the same protocol is told of no earlier answer, and to keep none", () => {
  const sent = requestOf(BODY).rewrite({ model: "theirs", stream: true, includeUsage: true });
  assert.deepEqual(JSON.parse(sent.toString()), {
    ...BODY,
    model: "theirs",
    stream: true,
    store: false,
    previous_response_id: null,
  });
});

test("what it is asked to think is sealed by it, where the conversation may go on from what is kept here", () => {
  const askedFor = (body: object): unknown => {
    const sent = requestOf({ ...BODY, ...body }).rewrite({ model: "theirs", includeUsage: true });
    return (JSON.parse(sent.toString()) as { include?: unknown }).include;
  };
  const reasoning = { effort: "low" };
  const seals = "reasoning.encrypted_content";
  assert.deepEqual(askedFor({ reasoning }), [seals]);
  assert.deepEqual(askedFor({ reasoning, include: null }), [seals]);
  assert.deepEqual(askedFor({ reasoning, include: [seals] }), [seals]);
  const also = "message.output_text.logprobs";
  assert.deepEqual(askedFor({ reasoning, include: [also] }), [also, seals]);
  assert.equal(askedFor({ reasoning, store: false }), undefined);
  assert.equal(askedFor({ reasoning: { effort: "none" } }), undefined);
  assert.equal(askedFor({}), undefined);
});

test("thinking that it could not take is left out, and everything else passes", () => {
  const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "x" }] };
  const theirs = { ...thought, encrypted_content: "gAAAAABtheirs" };
  const open = { ...thought, content: [{ type: "reasoning_text", text: "x" }] };
  const user = { role: "user", content: "hi" };
  const sent = requestOf({ ...BODY, input: [thought, theirs, open, user] }).rewrite({
    model: "theirs",
    includeUsage: true,
  });
  assert.deepEqual((JSON.parse(sent.toString()) as { input: unknown }).input, [theirs, open, user]);
});

test("its answer goes on from the caller's own, and is kept as the caller wished", () => {
  const identity = {
    requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
    created: 0,
    model: "m",
    answerModel: null,
    promptTokens: 1,
    includeUsage: true,
    asked: {
      request: requestOf(BODY),
      seal: { seal: createSeal("a secret of at least so many characters"), accountId: "a" },
      keeps: true,
      seconds: () => 0,
    },
  };
  const theirs = {
    id: "resp_theirs",
    object: "response",
    store: false,
    previous_response_id: null,
  };
  const own = responsesDialect.ownAnswer?.(Buffer.from(JSON.stringify(theirs)), identity);
  assert.deepEqual(JSON.parse(String(own)), {
    id: "resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
    object: "response",
    store: true,
    previous_response_id: "resp_ours",
  });
});
