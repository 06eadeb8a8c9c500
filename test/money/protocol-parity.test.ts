/**
 * Guarantee: the same conversation costs the same to the last nano-rouble, whichever protocol its
 * caller and its upstream speak, and every class of tokens is charged once, at its own price
 * (hazards §21).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import {
  eventsOf,
  pairName,
  ELDER_PAIRS,
  pairsCatalogue,
  type ElderCaller,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";

/** Roubles for 1M tokens, none of which makes a token cost whole nano-roubles. */
const PRICE = `{ input: "123.456789", cachedInput: "12.345679", cacheWrite5m: "154.320987", cacheWrite1h: "246.913579", output: "617.283951" }`;

let sandbox: Sandbox;
let scene: ChatScene;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
  scene = await openChatScene({ catalogue: () => pairsCatalogue(sandbox.url, { price: PRICE }) });
});
after(async () => {
  await scene.close();
  await sandbox.close();
});

/**
 * With 40 roubles the worst case, 12 roubles and more, is too much to hold at once, so the answer
 * is assembled.
 */
const WAYS = [
  ["streamed", "1000", true],
  ["passed through whole", "1000", false],
  ["assembled", "40", false],
] as const;

const PATHS: Readonly<Record<ElderCaller, string>> = {
  openai: "/v1/chat/completions",
  anthropic: "/v1/messages",
};
const MAX_TOKENS = 20_000;

interface Answered {
  readonly answer: ChatAnswer;
  readonly chargedNano: bigint;
  /** The last usage object that the caller is shown. */
  readonly usage: unknown;
}

async function ask(
  { caller, upstream }: Pair<ElderCaller>,
  secret: string,
  stream: boolean,
  body: object,
): Promise<Answered> {
  const options = stream && caller === "openai" ? { stream_options: { include_usage: true } } : {};
  const sent = { model: `over-${upstream}`, max_tokens: MAX_TOKENS, stream, ...options, ...body };
  const answer = await postChat(scene.gateway.url, secret, sent, PATHS[caller]).answer;
  assert.equal(answer.status, 200, answer.body.toString());
  const parts = (stream ? eventsOf(answer.body) : [`data: ${answer.body.toString()}`]).flatMap(
    (event) => {
      const data = /^data: (.*)$/ms.exec(event)?.[1] ?? "";
      return data === "" || data.trim() === "[DONE]"
        ? []
        : [JSON.parse(data) as { usage?: unknown }];
    },
  );
  const usage = parts
    .map((part) => part.usage)
    .findLast((each) => each !== undefined && each !== null);
  const { state, chargedNano, detail } = await scene.receipt(answer.requestId);
  assert.deepEqual([state, detail["usageSource"]], ["completed", "upstream"]);
  return { answer, chargedNano, usage };
}

interface Golden {
  readonly name: string;
  readonly directives: string;
  /** What the caller is told, in its own protocol. */
  readonly openai: readonly [prompt: number, cached: number];
  readonly anthropic: readonly [input: number, read: number, written: number];
  /**
   * Worked out by hand: each count times its price in nano-roubles for a token, rounded up once at
   * the end.
   */
  readonly chargedNano: Readonly<Record<Protocol, bigint>>;
}

/**
 * 1001 tokens of prompt and 77 of answer in every row. Only a Messages upstream says for how long a
 * cache was written: at the others it is charged as for five minutes.
 */
const GOLDEN: readonly Golden[] = [
  {
    name: "no cache",
    directives: "usage=1001,77",
    openai: [1001, 0],
    anthropic: [1001, 0, 0],
    // 1001 × 123456.789 + 77 × 617283.951 = 171111110.016
    chargedNano: { openai: 171_111_111n, anthropic: 171_111_111n, responses: 171_111_111n },
  },
  {
    name: "read from a cache",
    directives: "usage=1001,77,300",
    openai: [1001, 300],
    anthropic: [701, 300, 0],
    // 701 × 123456.789 + 300 × 12345.679 + 77 × 617283.951 = 137777777.016
    chargedNano: { openai: 137_777_778n, anthropic: 137_777_778n, responses: 137_777_778n },
  },
  {
    name: "written for five minutes",
    directives: "usage=1001,77 cacheWrite5m=200",
    openai: [1001, 0],
    anthropic: [801, 0, 200],
    // 801 × 123456.789 + 200 × 154320.987 + 77 × 617283.951 = 177283949.616
    chargedNano: { openai: 177_283_950n, anthropic: 177_283_950n, responses: 177_283_950n },
  },
  {
    name: "written for an hour",
    directives: "usage=1001,77 cacheWrite1h=100",
    openai: [1001, 0],
    anthropic: [901, 0, 100],
    // 901 × 123456.789 + 100 × 246913.579 + 77 × 617283.951 = 183456789.016; with 100 × 154320.987
    // it is 174197529.816
    chargedNano: { openai: 174_197_530n, anthropic: 183_456_790n, responses: 174_197_530n },
  },
  {
    name: "read, and written for both times",
    directives: "usage=1001,77,300 cacheWrite5m=200 cacheWrite1h=100",
    openai: [1001, 300],
    anthropic: [401, 300, 300],
    // 401 × 123456.789 + 300 × 12345.679 + 200 × 154320.987 + 100 × 246913.579 + 77 × 617283.951 =
    // 156296295.616; all 300 for five minutes: 147037036.416
    chargedNano: { openai: 147_037_037n, anthropic: 156_296_296n, responses: 147_037_037n },
  },
];

for (const { name, directives, openai, anthropic, chargedNano } of GOLDEN) {
  test(`${name}: one price over each upstream, whatever the caller speaks and however the answer goes`, async () => {
    for (const pair of ELDER_PAIRS) {
      await Promise.all(
        WAYS.map(async ([way, roubles, stream]) => {
          const cell = `${pairName(pair)}, ${way}`;
          const { secret } = await scene.customer({ roubles });
          const messages = [{ role: "user", content: `[[sandbox: ${directives}]] Привет` }];
          const answered = await ask(pair, secret, stream, { messages });
          assert.equal(answered.chargedNano, chargedNano[pair.upstream], cell);
          if (pair.caller === "openai") {
            const [prompt, cached] = openai;
            const shown = {
              prompt_tokens: prompt,
              completion_tokens: 77,
              total_tokens: prompt + 77,
              prompt_tokens_details: { cached_tokens: cached },
            };
            assert.partialDeepStrictEqual(answered.usage, shown, cell);
          } else {
            const [input, read, written] = anthropic;
            const shown = {
              input_tokens: input,
              cache_read_input_tokens: read,
              cache_creation_input_tokens: written,
              output_tokens: 77,
            };
            assert.partialDeepStrictEqual(answered.usage, shown, cell);
          }
        }),
      );
    }
  });
}

const SYSTEM = "Ты — метеоролог ⛅. Отвечай кратко.";
const ASKED =
  "[[sandbox: cached=11 cacheWrite5m=7]] Что на снимке? get_weather в Москве и get_weather в Казани, параллельно 🌦️";
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", enum: ["Москва", "Казань"] } },
  required: ["city"],
};
const RESULTS = ["снег ❄️, −7 °C", "ясно ☀️, +2 °C"];
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/**
 * The same conversation in each protocol: its beginning, and how its first answer and the results
 * of its calls go on.
 */
const TALKS = {
  openai: {
    begin: {
      tools: [
        {
          type: "function",
          function: { name: "get_weather", description: "Погода", parameters: SCHEMA },
        },
      ],
      messages: [
        { role: "system", content: SYSTEM },
        {
          role: "user",
          content: [
            { type: "text", text: ASKED },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
          ],
        },
      ],
    },
    goOn: (ids: readonly string[]): object[] => [
      {
        role: "assistant",
        content: null,
        tool_calls: ids.map((id, at) => ({
          id,
          type: "function",
          function: {
            name: "get_weather",
            arguments: JSON.stringify({ city: SCHEMA.properties.city.enum[at] }),
          },
        })),
      },
      ...ids.map((id, at) => ({ role: "tool", tool_call_id: id, content: RESULTS[at] })),
    ],
  },
  anthropic: {
    begin: {
      system: SYSTEM,
      tools: [{ name: "get_weather", description: "Погода", input_schema: SCHEMA }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: ASKED },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
          ],
        },
      ],
    },
    goOn: (ids: readonly string[]): object[] => [
      {
        role: "assistant",
        content: ids.map((id, at) => ({
          type: "tool_use",
          id,
          name: "get_weather",
          input: { city: SCHEMA.properties.city.enum[at] },
        })),
      },
      {
        role: "user",
        content: ids.map((id, at) => ({
          type: "tool_result",
          tool_use_id: id,
          content: RESULTS[at],
        })),
      },
    ],
  },
} as const;

/** The ids of the calls in an answer, streamed or not. */
function callIds(answer: ChatAnswer): string[] {
  return [
    ...new Set(
      [...answer.body.toString().matchAll(/"id":"((?:call|toolu)_[^"]+)"/g)].map(
        ([, id = ""]) => id,
      ),
    ),
  ];
}

/** Nano-roubles of what the sandbox itself reports, by the arithmetic of the golden table. */
async function vendorsPrice(body: object): Promise<bigint> {
  const response = await fetch(`${sandbox.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer vendor" },
    body: JSON.stringify({ model: "echo-large", max_tokens: MAX_TOKENS, ...body }),
  });
  const { usage } = (await response.json()) as {
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  const thousandths =
    BigInt(usage.prompt_tokens - 18) * 123_456_789n +
    11n * 12_345_679n +
    7n * 154_320_987n +
    BigInt(usage.completion_tokens) * 617_283_951n;
  return (thousandths + 999n) / 1000n;
}

test("a conversation with a picture, parallel calls and their results costs the same in all pairs, however its answers go", async () => {
  const { begin, goOn } = TALKS.openai;
  const expected = [
    await vendorsPrice(begin),
    await vendorsPrice({ ...begin, messages: [...begin.messages, ...goOn(["call_1", "call_2"])] }),
  ];
  await Promise.all(
    ELDER_PAIRS.flatMap((pair) =>
      WAYS.map(async ([way, roubles, stream]) => {
        const { secret } = await scene.customer({ roubles });
        const talk = TALKS[pair.caller];
        const first = await ask(pair, secret, stream, talk.begin);
        const ids = callIds(first.answer);
        assert.equal(ids.length, 2);
        const second = await ask(pair, secret, stream, {
          ...talk.begin,
          messages: [...talk.begin.messages, ...talk.goOn(ids)],
        });
        assert.deepEqual(
          [first.chargedNano, second.chargedNano],
          expected,
          `${pairName(pair)}, ${way}`,
        );
      }),
    ),
  );
});

test("the books agree after all of this", () => scene.verifyBooks());
