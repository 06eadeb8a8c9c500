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
  CALLER_PATHS,
  eventsOf,
  pairName,
  PAIRS,
  pairsCatalogue,
  type Caller,
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

const MAX_TOKENS = 20_000;
/** What each calls the limit of the answer. */
const LIMITS: Readonly<Record<Caller, string>> = {
  openai: "max_tokens",
  anthropic: "max_tokens",
  responses: "max_output_tokens",
};

interface Answered {
  readonly answer: ChatAnswer;
  readonly chargedNano: bigint;
  /** The last usage object that the caller is shown. */
  readonly usage: unknown;
}

/** An event of a stream, or a whole answer. */
interface ReportedPart {
  readonly usage?: unknown;
  readonly response?: { readonly usage?: unknown };
}

async function ask(
  { caller, upstream }: Pair,
  secret: string,
  stream: boolean,
  body: object,
): Promise<Answered> {
  const options = stream && caller === "openai" ? { stream_options: { include_usage: true } } : {};
  const limit = { [LIMITS[caller]]: MAX_TOKENS };
  const sent = { model: `over-${upstream}`, stream, ...limit, ...options, ...body };
  const answer = await postChat(scene.gateway.url, secret, sent, CALLER_PATHS[caller]).answer;
  assert.equal(answer.status, 200, answer.body.toString());
  const parts = (stream ? eventsOf(answer.body) : [`data: ${answer.body.toString()}`]).flatMap(
    (event) => {
      const data = /^data: (.*)$/ms.exec(event)?.[1] ?? "";
      return data === "" || data.trim() === "[DONE]" ? [] : [JSON.parse(data) as ReportedPart];
    },
  );
  const usage = parts
    .map((part) => part.usage ?? part.response?.usage)
    .findLast((each) => each !== undefined && each !== null);
  const { state, chargedNano, detail } = await scene.receipt(answer.requestId);
  assert.deepEqual([state, detail["usageSource"]], ["completed", "upstream"]);
  return { answer, chargedNano, usage };
}

interface Golden {
  readonly name: string;
  readonly directives: string;
  /** What the caller is told, in its own protocol: Responses tell what Chat Completions do. */
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

/** In the words of the caller's protocol; 77 tokens are the answer's. */
function shownTo(caller: Caller, { openai, anthropic }: Golden): object {
  const [prompt, cached] = openai;
  const [input, read, written] = anthropic;
  switch (caller) {
    case "openai":
      return {
        prompt_tokens: prompt,
        completion_tokens: 77,
        total_tokens: prompt + 77,
        prompt_tokens_details: { cached_tokens: cached },
      };
    case "anthropic":
      return {
        input_tokens: input,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: 77,
      };
    case "responses":
      return {
        input_tokens: prompt,
        output_tokens: 77,
        total_tokens: prompt + 77,
        input_tokens_details: { cached_tokens: cached },
      };
  }
}

for (const golden of GOLDEN) {
  test(`${golden.name}: one price over each upstream, whatever the caller speaks and however the answer goes`, async () => {
    for (const pair of PAIRS) {
      await Promise.all(
        WAYS.map(async ([way, roubles, stream]) => {
          const cell = `${pairName(pair)}, ${way}`;
          const { secret } = await scene.customer({ roubles });
          const content = `[[sandbox: ${golden.directives}]] Привет`;
          const question = [{ role: "user", content }];
          const body = pair.caller === "responses" ? { input: question } : { messages: question };
          const answered = await ask(pair, secret, stream, body);
          assert.equal(answered.chargedNano, golden.chargedNano[pair.upstream], cell);
          assert.partialDeepStrictEqual(answered.usage, shownTo(pair.caller, golden), cell);
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

interface Talk {
  /** All of the request but what it says. */
  readonly setting: object;
  /** Where what is said stands. */
  readonly member: "messages" | "input";
  readonly begin: readonly object[];
  /** Its first answer, and the results of the calls in it. */
  goOn(ids: readonly string[]): object[];
}

/** The arguments of the call at this place. */
const argumentsAt = (at: number): object => ({ city: SCHEMA.properties.city.enum[at] });

/** The same conversation in each protocol. */
const TALKS: Readonly<Record<Caller, Talk>> = {
  openai: {
    setting: {
      tools: [
        {
          type: "function",
          function: { name: "get_weather", description: "Погода", parameters: SCHEMA },
        },
      ],
    },
    member: "messages",
    begin: [
      { role: "system", content: SYSTEM },
      {
        role: "user",
        content: [
          { type: "text", text: ASKED },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ],
    goOn: (ids) => [
      {
        role: "assistant",
        content: null,
        tool_calls: ids.map((id, at) => ({
          id,
          type: "function",
          function: {
            name: "get_weather",
            arguments: JSON.stringify(argumentsAt(at)),
          },
        })),
      },
      ...ids.map((id, at) => ({ role: "tool", tool_call_id: id, content: RESULTS[at] })),
    ],
  },
  anthropic: {
    setting: {
      system: SYSTEM,
      tools: [{ name: "get_weather", description: "Погода", input_schema: SCHEMA }],
    },
    member: "messages",
    begin: [
      {
        role: "user",
        content: [
          { type: "text", text: ASKED },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        ],
      },
    ],
    goOn: (ids) => [
      {
        role: "assistant",
        content: ids.map((id, at) => ({
          type: "tool_use",
          id,
          name: "get_weather",
          input: argumentsAt(at),
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
  responses: {
    setting: {
      instructions: SYSTEM,
      tools: [
        {
          type: "function",
          name: "get_weather",
          description: "Погода",
          parameters: SCHEMA,
          strict: false,
        },
      ],
    },
    member: "input",
    begin: [
      {
        role: "user",
        content: [
          { type: "input_text", text: ASKED },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PNG}` },
        ],
      },
    ],
    goOn: (ids) => [
      ...ids.map((id, at) => ({
        type: "function_call",
        call_id: id,
        name: "get_weather",
        arguments: JSON.stringify(argumentsAt(at)),
      })),
      ...ids.map((id, at) => ({
        type: "function_call_output",
        call_id: id,
        output: RESULTS[at],
      })),
    ],
  },
};

/** The conversation as far as its first answer, or beyond it: what the calls of that are called. */
function bodyOf({ setting, member, begin, goOn }: Talk, ids: readonly string[] = []): object {
  return { ...setting, [member]: ids.length === 0 ? begin : [...begin, ...goOn(ids)] };
}

/** The ids of the calls in an answer, streamed or not. */
function callIds(answer: ChatAnswer): string[] {
  const found = answer.body.toString().matchAll(/"(?:call_)?id":"((?:call|toolu)_[^"]+)"/g);
  return [...new Set([...found].map(([, id = ""]) => id))];
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
  const expected = [
    await vendorsPrice(bodyOf(TALKS.openai)),
    await vendorsPrice(bodyOf(TALKS.openai, ["call_1", "call_2"])),
  ];
  await Promise.all(
    PAIRS.flatMap((pair) =>
      WAYS.map(async ([way, roubles, stream]) => {
        const { secret } = await scene.customer({ roubles });
        const talk = TALKS[pair.caller];
        const first = await ask(pair, secret, stream, bodyOf(talk));
        const ids = callIds(first.answer);
        assert.equal(ids.length, 2);
        const second = await ask(pair, secret, stream, bodyOf(talk, ids));
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
