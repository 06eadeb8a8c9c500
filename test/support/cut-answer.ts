/**
 * An answer whose upstream stops in the midst of its stream: the answer, what must come of its first
 * events, and whether the stream that a caller got is that.
 */
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { countTokens } from "../../sandbox/count-tokens.ts";
import { standardPrice, type ChatScene } from "./chat-scene.ts";
import { pairAnswer } from "./pair-answers.ts";
import type { ChatAnswer } from "./post-chat.ts";
import {
  countedPrompt,
  ERROR_EVENTS,
  eventsOf,
  generatedIn,
  isLastEvent,
  saysFinish,
  type Caller,
  type Pair,
  type Protocol,
} from "./protocol-pairs.ts";
import { sdkCompletion } from "./sdk-completion.ts";
import { sdkMessage } from "./sdk-message.ts";
import { sdkResponse } from "./sdk-response.ts";
import { assertResponseStream, responseEvents } from "./strict-response.ts";

export const CUT_QUESTION = "Погода в Москве?";
const THINKING = ["Ду", "маю 🤔"];
export const CUT_TEXT = ["При", "вет 👋🏽"];
const NAME = "get_weather";
const ARGUMENTS = ['{"city":', '"Москва"}'];

/**
 * One answer as each protocol streams it: thinking, text, a call; 17 tokens in and 9 out, as the
 * upstream says at the end.
 */
export function cutStream(protocol: Protocol): readonly string[] {
  return pairAnswer(protocol, {
    thinking: THINKING,
    pieces: CUT_TEXT,
    calls: [{ id: "call_1", name: NAME, pieces: ARGUMENTS }],
    tokens: { input: 17, output: 9 },
  }).events.map(String);
}
const WHOLE = standardPrice({ input: 17, output: 9 });

export interface CutExpectation {
  /** It has said something: before that, a cut is an error by HTTP. */
  readonly begun: boolean;
  readonly delivered: string;
  readonly finished: boolean;
  readonly complete: boolean;
  /** How often the stream that a caller gets comes to its end. */
  readonly ends: 0 | 1;
  readonly charge: bigint;
}

/** What must come of the first events of the upstream. `clean`: its connection ended in order. */
export function expectationOf(
  { caller, upstream }: Pair,
  passed: readonly string[],
  clean: boolean,
): CutExpectation {
  const generated = passed.map(generatedIn).join("");
  const finished = passed.some(saysFinish);
  const over = passed.some(isLastEvent);
  // OpenAI's end mark may be missing where all has been said; a message is whole with message_stop
  // only.
  const complete = over || (clean && finished && upstream === "openai");
  const usageReported = passed.some((event) =>
    /"(completion_tokens|output_tokens)":9\b/.test(event),
  );
  const input = upstream === "anthropic" ? 17 : countedPrompt(caller, CUT_QUESTION);
  const counted = generated === "" ? 0n : standardPrice({ input, output: countTokens(generated) });
  // OpenAI's upstreams may send a name in pieces, so in the other protocol a call begins with its
  // first argument.
  const lateName =
    caller !== "openai" && upstream === "openai" && !finished && generated.endsWith(NAME);
  return {
    begun: generated !== "",
    delivered: lateName ? generated.slice(0, -NAME.length) : generated,
    finished,
    complete,
    // Also where the upstream has left it out.
    ends: complete ? 1 : 0,
    charge: usageReported ? WHOLE : counted,
  };
}

/** In the caller's protocol. */
const FINISHES: Readonly<Record<Caller, string>> = {
  openai: "tool_calls",
  anthropic: "tool_use",
  responses: "completed",
};

/** Of streams that differ in nothing but their ids and times: most cuts change nothing else. */
const verdicts = new Map<string, Promise<string>>();

function responseVerdict(bytes: Buffer): Promise<string> {
  const key = bytes.toString().replaceAll(/[0-9a-f]{32}|"\w+_at":\d+/g, "");
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const verdict = readResponseStream(bytes);
  verdicts.set(key, verdict);
  return verdict;
}

/** By the strict reader, and by the SDK, which has to find the same. */
async function readResponseStream(bytes: Buffer): Promise<string> {
  const { id, status, output } = assertResponseStream(responseEvents(bytes));
  const found = await sdkResponse(bytes);
  assert.deepEqual(
    [found.id, found.status, found.output.map((item) => item.id)],
    [id, status, (output as { id: string }[]).map((item) => item.id)],
  );
  return status === "failed" ? "APIError" : String(status);
}

/**
 * What the official SDK of the caller's protocol makes of these bytes: why the answer ended, or the
 * error that it raises.
 */
async function sdkVerdict(caller: Caller, bytes: Buffer): Promise<string> {
  try {
    if (caller === "responses") return await responseVerdict(bytes);
    if (caller === "openai")
      return (await sdkCompletion(bytes)).completion.choices[0]?.finish_reason ?? "none";
    return String((await sdkMessage(bytes))["stop_reason"]);
  } catch (error) {
    return error instanceof OpenAI.APIError || error instanceof Anthropic.APIError
      ? "APIError"
      : String(error);
  }
}

async function insistOnStream(
  { caller }: Pair,
  answer: ChatAnswer,
  expected: CutExpectation,
  where: string,
): Promise<void> {
  const events = eventsOf(answer.body);
  assert.equal(
    answer.broken,
    !expected.complete,
    `${where}: the socket is destroyed unless the answer is whole`,
  );
  assert.equal(events.filter(isLastEvent).length, expected.ends, where);
  const errors = events.filter((event) => ERROR_EVENTS[caller].test(event));
  assert.deepEqual(
    errors,
    expected.complete ? [] : events.slice(-1),
    `${where}: the last word is an error event`,
  );
  if (!expected.finished) assert.ok(!events.some(saysFinish), `${where}: no finish is made up`);
  assert.equal(
    events.map(generatedIn).join(""),
    expected.delivered,
    `${where}: all that came is delivered, once`,
  );
  const finish = FINISHES[caller];
  assert.equal(
    await sdkVerdict(caller, answer.body),
    expected.complete ? finish : "APIError",
    where,
  );
}

/** Of a streamed answer: its bytes, its end, and what is on its receipt. */
export async function insistOnCut(
  scene: Pick<ChatScene, "receipt">,
  pair: Pair,
  answer: ChatAnswer,
  expected: CutExpectation,
  where: string,
): Promise<void> {
  assert.equal(answer.status, expected.begun ? 200 : 502, where);
  if (expected.begun) await insistOnStream(pair, answer, expected, where);
  const { state, chargedNano } = await scene.receipt(answer.requestId);
  const ended = expected.complete ? "completed" : expected.begun ? "interrupted" : "failed";
  assert.deepEqual([state, chargedNano], [ended, expected.begun ? expected.charge : 0n], where);
}
