/**
 * Guarantee: a stream that is put together is the answer that the upstream would have given whole,
 * and one that the balance stopped is its beginning, ended by the limit.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  responsesStream,
  responsesUsage,
  responsesWhole,
  type ResponsesAnswer,
} from "../../../test/support/responses-stream.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { createResponseAssembler } from "./assemble-response.ts";
import { createResponsesFrameReader } from "./create-frame-reader.ts";
import { streamResponse } from "./stream-response.ts";

const ANSWER: ResponsesAnswer = {
  items: [
    { type: "reasoning", pieces: ["hm", " hm"], encrypted: "gAAAA" },
    { type: "message", pieces: ["При", "вет"] },
    { type: "message", pieces: ["no"], refusal: true },
    { type: "function_call", callId: "c", name: "f", pieces: ['{"a":', "1}"] },
  ],
  usage: responsesUsage(17, 9),
};

function assembled(
  events: readonly Buffer[],
  stopped = false,
  usage: Parameters<ReturnType<typeof createResponseAssembler>["finish"]>[0] = null,
): Record<string, unknown> {
  const reader = createResponsesFrameReader();
  const assembler = createResponseAssembler();
  for (const { payload } of events.flatMap((event) => reader.push(event)))
    if (payload !== null) assembler.add(payload);
  return JSON.parse(assembler.finish(usage, stopped).toString()) as Record<string, unknown>;
}

test("a stream comes to the whole answer, also where its last event leaves the output out", () => {
  const whole = responsesWhole(ANSWER);
  const events = responsesStream(ANSWER);
  assert.deepEqual(assembled(events), whole);
  assert.deepEqual(assembled([streamResponse(whole)]), whole);
  const bare = Buffer.from(
    `data: ${JSON.stringify({ type: "response.completed", response: { ...whole, output: [] } })}\n\n`,
  );
  assert.deepEqual(assembled([...events.slice(0, -1), bare]), whole);
  const withoutDone = events.filter((event) => !/^event: .*item\.done\n/.test(event.toString()));
  const { output } = assembled([...withoutDone.slice(0, -1), bare]);
  const texts = (items: unknown): string =>
    JSON.stringify(items).replaceAll(/"status":"\w+",?|,?"encrypted_content":"\w+"/g, "");
  assert.equal(texts(output), texts(whole["output"]));
});

test("what was charged is shown", () => {
  const usage = { ...NO_USAGE, inputTokens: 17, outputTokens: 3 };
  const { usage: shown } = assembled(responsesStream(ANSWER), false, usage);
  assert.deepEqual((shown as { output_tokens: number }).output_tokens, 3);
});

test("stopped by the balance it is incomplete, with what was delivered", () => {
  const events = responsesStream({ items: [{ type: "message", pieces: ["При", "вет", "!"] }] });
  const at = events.findIndex((event) => event.includes('"вет"'));
  const stopped = assembled(events.slice(0, at + 1), true, { ...NO_USAGE, outputTokens: 2 });
  assert.partialDeepStrictEqual(stopped, {
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [{ type: "message", status: "incomplete", content: [{ text: "Привет" }] }],
    usage: { output_tokens: 2 },
  });
});
