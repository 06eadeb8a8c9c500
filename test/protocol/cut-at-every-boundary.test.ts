/**
 * Guarantee: an upstream's stream that stops between any two events never looks complete to
 * anybody, in its own protocol or in another; what was delivered is charged (hazards §7 and §9;
 * contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { countTokens } from "../../sandbox/count-tokens.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { pairAnswer } from "../support/pair-answers.ts";
import type { ChatAnswer } from "../support/post-chat.ts";
import {
  askPair,
  countedPrompt,
  ERROR_EVENTS,
  eventsOf,
  generatedIn,
  isLastEvent,
  pairName,
  PAIRS,
  pairsCatalogue,
  saysFinish,
  type Caller,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";
import type { Exchange } from "../support/scripted-upstream.ts";
import { sdkCompletion } from "../support/sdk-completion.ts";
import { sdkMessage } from "../support/sdk-message.ts";
import { assertResponseStream, responseEvents } from "../support/strict-response.ts";

let scene: ChatScene;
let rich: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
  rich = await scene.customer({ roubles: "1000000" });
});
after(() => scene.close());

const QUESTION = "Погода в Москве?";
const THINKING = ["Ду", "маю 🤔"];
const TEXT = ["При", "вет 👋🏽"];
const NAME = "get_weather";
const ARGUMENTS = ['{"city":', '"Москва"}'];

/**
 * One answer as each protocol streams it: thinking, text, a call; 17 tokens in and 9 out, as the
 * upstream says at the end.
 */
const streamOf = (protocol: Protocol): readonly string[] =>
  pairAnswer(protocol, {
    thinking: THINKING,
    pieces: TEXT,
    calls: [{ id: "call_1", name: NAME, pieces: ARGUMENTS }],
    tokens: { input: 17, output: 9 },
  }).events.map(String);
const WHOLE = standardPrice({ input: 17, output: 9 });

/** What must come of the first events of the upstream. */
function expectationOf({ caller, upstream }: Pair, passed: readonly string[], clean: boolean) {
  const generated = passed.map(generatedIn).join("");
  const finished = passed.some(saysFinish);
  const over = passed.some(isLastEvent);
  // OpenAI's end mark may be missing where all has been said; a message is whole with message_stop
  // only.
  const complete = over || (clean && finished && upstream === "openai");
  const usageReported = passed.some((event) =>
    /"(completion_tokens|output_tokens)":9\b/.test(event),
  );
  const input = upstream === "anthropic" ? 17 : countedPrompt(caller, QUESTION);
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

/**
 * What the official SDK of the caller's protocol, or its strict reader, makes of these bytes: why the answer ended, or the
 * error that it raises.
 */
async function sdkVerdict({ caller, upstream }: Pair, bytes: Buffer): Promise<string> {
  try {
    if (caller === "responses") {
      const events = responseEvents(bytes);
      // What an upstream of this protocol says passes as it is, whole or not.
      if (upstream !== "responses") assertResponseStream(events);
      const type = events.at(-1)?.type;
      return type === "response.failed" ? "APIError" : String(type).replace("response.", "");
    }
    if (caller === "openai")
      return (await sdkCompletion(bytes)).completion.choices[0]?.finish_reason ?? "none";
    return String((await sdkMessage(bytes))["stop_reason"]);
  } catch (error) {
    return error instanceof OpenAI.APIError || error instanceof Anthropic.APIError
      ? "APIError"
      : String(error);
  }
}

async function checkStream(
  pair: Pair,
  answer: ChatAnswer,
  expected: ReturnType<typeof expectationOf>,
  where: string,
): Promise<void> {
  const { caller } = pair;
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
  assert.equal(await sdkVerdict(pair, answer.body), expected.complete ? finish : "APIError", where);
}

for (const [name, clean, stop] of [
  ["a clean end", true, (exchange: Exchange) => exchange.end()],
  ["a lost connection", false, (exchange: Exchange) => exchange.destroy()],
] as const) {
  for (const pair of PAIRS) {
    const events = streamOf(pair.upstream);
    const script = (count: number) => async (exchange: Exchange) => {
      exchange.head();
      await exchange.sendAll(events.slice(0, count));
      stop(exchange);
    };

    test(`${pairName(pair)}, streamed: ${name} after each of ${events.length} events`, async () => {
      await Promise.all(
        Array.from({ length: events.length + 1 }, async (_, count) => {
          const expected = expectationOf(pair, events.slice(0, count), clean);
          const where = `after ${count} events, the last ${events[count - 1] ?? "none"}`;
          const { user } = scene.play(script(count));
          const answer = await askPair(scene, rich.secret, pair, {
            content: QUESTION,
            user,
            stream: true,
          }).answer;
          assert.equal(answer.status, expected.begun ? 200 : 502, where);
          if (expected.begun) await checkStream(pair, answer, expected, where);
          const { state, chargedNano } = await scene.receipt(answer.requestId);
          const ended = expected.complete ? "completed" : expected.begun ? "interrupted" : "failed";
          assert.deepEqual(
            [state, chargedNano],
            [ended, expected.begun ? expected.charge : 0n],
            where,
          );
        }),
      );
    });

    test(`${pairName(pair)}, assembled: ${name} after each of ${events.length} events`, async () => {
      await Promise.all(
        Array.from({ length: events.length + 1 }, async (_, count) => {
          const expected = expectationOf(pair, events.slice(0, count), clean);
          const where = `after ${count} events, the last ${events[count - 1] ?? "none"}`;
          // The worst case, 12 roubles, is more than a quarter of this, so the answer is put
          // together from a stream.
          const modest = await scene.customer({ roubles: "45" });
          const play = scene.play(script(count));
          const answer = await askPair(scene, modest.secret, pair, {
            content: QUESTION,
            user: play.user,
            stream: false,
          }).answer;
          assert.equal(
            ((await play.asked).json() as { stream?: boolean }).stream,
            true,
            "it is put together from a stream",
          );
          assert.deepEqual(
            [answer.status, answer.broken],
            [expected.complete ? 200 : 502, false],
            where,
          );
          const { state, chargedNano } = await scene.receipt(answer.requestId);
          assert.deepEqual(
            [state, chargedNano],
            expected.complete ? ["completed", expected.charge] : ["failed", 0n],
            where,
          );
          assert.equal((await scene.money(modest.accountId)).held, 0n, where);
        }),
      );
    });
  }
}

for (const pair of PAIRS.filter(({ caller, upstream }) => caller !== upstream)) {
  test(`${pairName(pair)}: Cyrillic and emoji come whole, at whatever byte the upstream's packets are cut`, async () => {
    const events = streamOf(pair.upstream);
    const reported = events.map(generatedIn);
    const bytes = Buffer.from(events.join(""));
    // Within the events that say something: of others Responses have many, and long ones.
    const cuts = events
      .flatMap((event, at) => {
        const start = Buffer.byteLength(events.slice(0, at).join(""));
        const length = reported[at] === "" ? 0 : Buffer.byteLength(event);
        return Array.from({ length }, (_, within) => start + within);
      })
      .values();
    const ask = async (parts: readonly Buffer[], where: string): Promise<void> => {
      const { user } = scene.play(async (exchange) => {
        await exchange.sendAll(parts);
        exchange.end();
      });
      const answer = await askPair(scene, rich.secret, pair, {
        content: QUESTION,
        user,
        stream: true,
      }).answer;
      assert.deepEqual(
        [answer.status, answer.broken, eventsOf(answer.body).map(generatedIn).join("")],
        [200, false, reported.join("")],
        where,
      );
    };
    const lane = async (): Promise<void> => {
      for (const cut of cuts)
        await ask([bytes.subarray(0, cut), bytes.subarray(cut)], `cut before byte ${cut}`);
    };
    await Promise.all(Array.from({ length: 16 }, lane));
    await ask(
      Array.from(bytes, (byte) => Buffer.from([byte])),
      "byte by byte",
    );
  });
}

test("the books agree after all of this", () => scene.verifyBooks());
