/**
 * Guarantee: wherever an upstream of any protocol stops, within an event or between two, what a
 * caller of Responses has got becomes a whole stream by its last bytes: one end, numbers that go up
 * by one, every event as the public reference has it. The same where the balance stops it there.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pairAnswer } from "../../../test/support/pair-answers.ts";
import { PROTOCOLS, type Protocol } from "../../../test/support/protocol-pairs.ts";
import { assertResponseStream, responseEvents } from "../../../test/support/strict-response.ts";
import { Fault } from "../../kernel/faults.ts";
import { createSeal } from "../../kernel/seal.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { anthropicUpstream } from "../anthropic/upstream.ts";
import { answerPath } from "../answer-path.ts";
import type { AnswerIdentity, Frame, UpstreamDialect } from "../chat-dialect.ts";
import { openAiUpstream } from "../openai/upstream.ts";
import { responsesDialect } from "./dialect.ts";
import { responsesUpstream } from "./upstream.ts";

const UPSTREAMS: Readonly<Record<Protocol, UpstreamDialect>> = {
  openai: openAiUpstream,
  anthropic: anthropicUpstream,
  responses: responsesUpstream,
};
const IDENTITY: AnswerIdentity = {
  requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  created: 1_763_712_000,
  model: "sold",
  answerModel: "sold",
  promptTokens: 7,
  includeUsage: true,
  asked: {
    request: { body: { model: "sold", input: "Погода?", previous_response_id: "resp_before" } },
    seal: { seal: createSeal("a secret of at least thirty-two characters"), accountId: "a-1" },
    keeps: false,
    seconds: () => 1_763_712_009,
  },
};
const USAGE = { ...NO_USAGE, inputTokens: 17, outputTokens: 9 };

/** Thinking, text in more than one byte a letter, and a call. */
function bytesOf(upstream: Protocol): Buffer {
  const { events } = pairAnswer(upstream, {
    thinking: ["Ду", "маю 🤔"],
    pieces: ["При", "вет 👋🏽"],
    calls: [{ id: "call_1", name: "get_weather", pieces: ['{"city":', '"Москва"}'] }],
    tokens: { input: 17, output: 9 },
  });
  return Buffer.concat(events);
}

type End = "breaks" | "is stopped by the balance";

/**
 * All that the caller gets of these bytes, and whether the answer is whole: it came to its end in
 * them, or had said that it was over when the balance stopped it.
 */
function streamOf(upstream: Protocol, bytes: Buffer, clean: boolean, end: End) {
  const dialect = UPSTREAMS[upstream];
  const reader = dialect.createFrameReader();
  const writer = answerPath(responsesDialect, dialect).createWriter(IDENTITY);
  const written: Buffer[] = [];
  const push = (part: Buffer | null): void => void (part !== null && written.push(part));
  let done: Frame | null = null;
  let finished = false;
  for (const frame of [...reader.push(bytes), ...(clean ? reader.end() : [])]) {
    if (frame.kind !== "data" && frame.kind !== "comment") {
      if (frame.kind === "done") done = frame;
      break;
    }
    finished ||= frame.finished;
    push(writer.write(frame));
  }
  const over = done !== null || (clean && reader.finished);
  const stopped = end === "is stopped by the balance";
  if (over) push(writer.end(done, USAGE));
  else if (stopped) push(writer.limitStop(USAGE));
  else push(writer.failed?.(new Fault("upstream_error")) ?? null);
  return { stream: Buffer.concat(written), complete: over || (stopped && finished) };
}

for (const upstream of PROTOCOLS) {
  for (const end of ["breaks", "is stopped by the balance"] as const) {
    for (const [name, clean] of [
      ["a clean end", true],
      ["a lost connection", false],
    ] as const) {
      test(`a stream of ${upstream} that ${end} with ${name} after each of its bytes is a whole one`, () => {
        const bytes = bytesOf(upstream);
        const broken = end === "breaks" ? "failed" : "incomplete";
        let seen = Buffer.alloc(0);
        let completed = 0;
        for (let cut = 0; cut <= bytes.length; cut++) {
          const { stream, complete } = streamOf(upstream, bytes.subarray(0, cut), clean, end);
          if (complete) completed += 1;
          // Most bytes change nothing for the caller.
          if (stream.equals(seen)) continue;
          seen = stream;
          const where = `after byte ${cut}: ${bytes.toString("utf8", cut - 40, cut)}`;
          const { id, model, status, previous_response_id } = assertResponseStream(
            responseEvents(stream),
          );
          assert.equal(status, complete ? "completed" : broken, where);
          assert.deepEqual(
            [id, model, previous_response_id],
            ["resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b", "sold", "resp_before"],
            where,
          );
        }
        assert.ok(completed > 0 && completed <= bytes.length / 2, `${completed} were whole`);
      });
    }
  }
}
