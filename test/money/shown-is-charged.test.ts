/**
 * Guarantee: the usage that an answer shows is the usage that was charged, streamed, passed whole
 * and put together, in every pair of protocols and wherever the upstream tells it, or does not
 * (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TokenUsage } from "../../src/kernel/token-usage.ts";
import {
  anthropicMessage,
  anthropicStream,
  type AnthropicAnswer,
} from "../support/anthropic-stream.ts";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { openAiChunk, openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import {
  askPair,
  eventsOf,
  pairName,
  pairsCatalogue,
  PAIRS,
  type Caller,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";
import { responsesStream, responsesUsage, responsesWhole } from "../support/responses-stream.ts";
import type { Handler } from "../support/scripted-upstream.ts";

type Json = Record<string, unknown>;

let scene: ChatScene;
/** Whole answers are passed on to the one, and put together from a stream for the other. */
let rich: ChatCustomer;
let poor: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
  rich = await scene.customer({ roubles: "1000000" });
  poor = await scene.customer({ roubles: "20" });
});
after(() => scene.close());

const PIECES = ["Раз", " два", " три"];
const openAiUsage = (prompt: number, completion: number, rest: Json = {}): Json => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...rest,
});

/** How an upstream tells its usage: in a stream, and whole. */
interface Telling {
  readonly stream: () => readonly Buffer[];
  readonly whole: () => Json;
}

/** `elsewhere` puts the usage into the last chunk, or the completion, in a place of its own. */
function elsewhere(put: (usage: Json, answer: Json) => Json): Telling {
  const usage = openAiUsage(17, 9);
  const [done = Buffer.alloc(0), ...before] = openAiStream({ pieces: PIECES }).toReversed();
  const chunk = JSON.parse(
    openAiChunk({}, [{ index: 0, delta: {}, finish_reason: "stop" }])
      .toString()
      .slice(6),
  ) as Json;
  const last = Buffer.from(`data: ${JSON.stringify(put(usage, chunk))}\n\n`);
  return {
    stream: () => [...before.slice(1).toReversed(), last, done],
    whole: () => put(usage, openAiCompletion({ pieces: PIECES })),
  };
}

function plain(usage: unknown): Telling {
  return {
    stream: () => openAiStream({ pieces: PIECES, usage }),
    whole: () => openAiCompletion({ pieces: PIECES, usage }),
  };
}

function responses(usage: unknown): Telling {
  const answer = { items: [{ type: "message" as const, pieces: PIECES }], usage };
  return { stream: () => responsesStream(answer), whole: () => responsesWhole(answer) };
}

function messages(answer: Omit<AnthropicAnswer, "blocks">): Telling {
  const all: AnthropicAnswer = { blocks: [{ type: "text", pieces: PIECES }], ...answer };
  return { stream: () => anthropicStream(all), whole: () => anthropicMessage(all) };
}

const TELLINGS: Readonly<Record<Protocol, Readonly<Record<string, Telling>>>> = {
  openai: {
    "in its own place": plain(openAiUsage(17, 9, { prompt_tokens_details: { cached_tokens: 5 } })),
    "in x_groq": elsewhere((usage, answer) => ({ ...answer, x_groq: { usage } })),
    "in the choice": elsewhere((usage, answer) => ({
      ...answer,
      choices: (answer["choices"] as Json[]).map((choice) => ({ ...choice, usage })),
    })),
    nowhere: plain(undefined),
    "as zeros": plain(openAiUsage(0, 0)),
    "as a prompt of zero": plain(openAiUsage(0, 9)),
    "as what cannot be": plain(openAiUsage(17, 900_000)),
    "with its reasoning apart": plain({
      ...openAiUsage(17, 9),
      total_tokens: 126,
      completion_tokens_details: { reasoning_tokens: 100 },
    }),
  },
  anthropic: {
    "in its own place": messages({
      startUsage: { input_tokens: 17, output_tokens: 1 },
      usage: { input_tokens: 17, output_tokens: 9 },
    }),
    "at the start alone": messages({ startUsage: { input_tokens: 17, output_tokens: 1 } }),
    nowhere: messages({}),
    "as zeros": messages({
      startUsage: { input_tokens: 0, output_tokens: 0 },
      usage: { input_tokens: 0, output_tokens: 0 },
    }),
    "as what cannot be": messages({
      startUsage: { input_tokens: 17, output_tokens: 1 },
      usage: { input_tokens: 17, output_tokens: 900_000 },
    }),
    "with its prompt forgotten": messages({
      startUsage: { input_tokens: 17, output_tokens: 1 },
      usage: { input_tokens: 0, output_tokens: 9 },
    }),
  },
  responses: {
    "in its own place": responses(
      responsesUsage(17, 9, { input_tokens_details: { cached_tokens: 5 } }),
    ),
    nowhere: responses(undefined),
    "as zeros": responses(responsesUsage(0, 0)),
    "as what cannot be": responses(responsesUsage(17, 900_000)),
    "with a detail beyond its total": responses(
      responsesUsage(17, 9, { output_tokens_details: { reasoning_tokens: 100 } }),
    ),
  },
};

function telling({ stream, whole }: Telling): Handler {
  return async (exchange) => {
    if ((exchange.request.json() as { stream?: boolean }).stream !== true)
      return exchange.json(200, whole());
    await exchange.sendAll(stream());
    exchange.end();
  };
}

/**
 * What a client reads: the last usage of a stream, each figure of Messages the last that was told.
 */
function shownIn(body: string, caller: Caller, stream: boolean): Json {
  const reported = stream
    ? eventsOf(body).flatMap((event) => {
        const data = /^data: (\{.*\})$/m.exec(event)?.[1];
        if (data === undefined) return [];
        const { usage, message, response } = JSON.parse(data) as {
          usage?: Json | null;
          message?: { usage?: Json };
          response?: { usage?: Json | null };
        };
        return [usage ?? (message ?? response)?.usage ?? {}];
      })
    : [(JSON.parse(body) as { usage: Json }).usage];
  const known = reported.filter((usage) => Object.keys(usage).length > 0);
  if (caller !== "anthropic") return known.at(-1) ?? {};
  return Object.assign(
    {},
    ...known.map((usage) =>
      Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null)),
    ),
  ) as Json;
}

function figures(shown: Json, caller: Caller): readonly unknown[] {
  if (caller === "openai") return [Number(shown["prompt_tokens"]), shown["completion_tokens"]];
  if (caller === "responses") return [Number(shown["input_tokens"]), shown["output_tokens"]];
  const count = (name: string): number => Number(shown[name] ?? 0);
  return [
    count("input_tokens") + count("cache_read_input_tokens") + count("cache_creation_input_tokens"),
    shown["output_tokens"],
  ];
}

async function check(
  pair: Pair,
  how: string,
  reported: Telling,
  [way, stream, customer]: readonly [string, boolean, ChatCustomer],
): Promise<void> {
  const cell = `${pairName(pair)}, ${way}, told ${how}`;
  const { user } = scene.play(telling(reported));
  const answer = await askPair(scene, customer.secret, pair, { content: "Сколько?", user, stream })
    .answer;
  assert.equal(answer.status, 200, cell);
  const { detail } = await scene.receipt(answer.requestId);
  const usage = detail["usage"] as TokenUsage;
  const prompt =
    usage.inputTokens +
    usage.cachedInputTokens +
    usage.cacheWrite5mTokens +
    usage.cacheWrite1hTokens;
  assert.deepEqual(
    figures(shownIn(answer.body.toString(), pair.caller, stream), pair.caller),
    [prompt, usage.outputTokens],
    cell,
  );
  if (pair.caller === "openai" && stream) {
    const events = eventsOf(answer.body.toString());
    assert.equal(events.at(-1), "data: [DONE]\n\n", cell);
    assert.equal(
      events.filter((event) => event.includes('"choices":[]')).length,
      1,
      `${cell}: the chunk that was asked for, once`,
    );
  }
}

for (const pair of PAIRS) {
  for (const [how, reported] of Object.entries(TELLINGS[pair.upstream])) {
    test(`${pairName(pair)}: the upstream tells its usage ${how}`, async () => {
      const ways = [
        ["streamed", true, rich],
        ["passed whole", false, rich],
        ["put together", false, poor],
      ] as const;
      for (const way of ways) await check(pair, how, reported, way);
    });
  }
}
