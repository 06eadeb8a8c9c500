/**
 * Guarantee: whatever usage an upstream reports, however its answer ends and however it is
 * delivered, there is one written outcome, to the nano-rouble (hazards §3 to §7, §17, §20, §21).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, standardPrice, type ChatScene } from "../support/chat-scene.ts";
import { openAiChunk, openAiCompletion } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import type { Exchange } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene();
});
after(() => scene.close());

const MESSAGES = [{ role: "user", content: "Count to two hundred" }];
const PIECES = [" one", " two", " three"];
const LIMIT = 50;

/**
 * Four words and the chat format's nine tokens, three words of answer: what is charged where the
 * upstream's word does not count.
 */
const COUNTED = standardPrice({ input: 13, output: 3 });

const usageOf = (prompt: number, completion: number, more: object = {}): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
});
const VALID = usageOf(17, 9, {
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 6 },
});
const VALID_PRICE = standardPrice({ input: 12, cached: 5, output: 9 });
const TEXT_PRICE = standardPrice({ input: 17, output: 9 });
const BILLION = 1_000_000_000;

interface UsageCase {
  readonly name: string;
  /** Undefined: none is given. */
  readonly usage: object | undefined;
  /**
   * Where it stands: beside the first piece, beside the last one, or in a chunk of its own after
   * it.
   */
  readonly place: "first" | "last" | "own";
  readonly charge: bigint;
  readonly source: "upstream" | "counted";
  /** What the upstream claims beyond the charge, where that has a price. */
  readonly loss: bigint;
  readonly suspicious: boolean;
}

const believed = (
  name: string,
  usage: object,
  place: UsageCase["place"],
  charge: bigint,
): UsageCase => ({
  name,
  usage,
  place,
  charge,
  source: "upstream",
  loss: 0n,
  suspicious: false,
});
const counted = (
  name: string,
  usage: object | undefined,
  place: UsageCase["place"] = "own",
): UsageCase => ({
  name,
  usage,
  place,
  charge: COUNTED,
  source: "counted",
  loss: 0n,
  suspicious: false,
});
const disbelieved = (name: string, usage: object, claimed: bigint | null): UsageCase => ({
  ...counted(name, usage),
  loss: claimed === null ? 0n : claimed - COUNTED,
  suspicious: true,
});

const USAGES: readonly UsageCase[] = [
  counted("absent", undefined),
  believed("all zero, which is zero and not absent", usageOf(0, 0), "own", 0n),
  disbelieved("negative", usageOf(-17, 9), null),
  disbelieved("fractional", usageOf(17.5, 9), null),
  disbelieved(
    "too huge to be a number of anything",
    { prompt_tokens: 1e300, completion_tokens: 1, total_tokens: 1e300 },
    null,
  ),
  disbelieved(
    "billions of tokens",
    usageOf(5 * BILLION, 5 * BILLION),
    standardPrice({ input: 5 * BILLION, output: 5 * BILLION }),
  ),
  disbelieved(
    "one token above the limit that was sent",
    usageOf(17, LIMIT + 1),
    standardPrice({ input: 17, output: LIMIT + 1 }),
  ),
  disbelieved(
    "a prompt above the context window",
    usageOf(20_001, 9),
    standardPrice({ input: 20_001, output: 9 }),
  ),
  believed("beside the last piece", VALID, "last", VALID_PRICE),
  believed("in a chunk of its own", VALID, "own", VALID_PRICE),
  believed(
    "as digits in texts",
    { prompt_tokens: "17", completion_tokens: "9", total_tokens: "26" },
    "own",
    TEXT_PRICE,
  ),
];
/** Only a stream can say something and go on. */
const PLACEHOLDERS: readonly UsageCase[] = [
  counted("a placeholder beside the first piece", usageOf(17, 1), "first"),
  counted("a placeholder of zeros beside the first piece", usageOf(0, 0), "first"),
];

const ERROR_WORDS =
  "The engine has stopped after far too many words of explanation that nobody ought to be charged for";

/** What an upstream does after its last piece. */
const ENDINGS = [
  "ends normally",
  "ends without a finish reason",
  "is cut",
  "ends with an error",
] as const;
type Ending = (typeof ENDINGS)[number];

async function streamAnswer(
  exchange: Exchange,
  { usage, place }: UsageCase,
  ending: Ending,
): Promise<void> {
  const chunk = (delta: object, finish: string | null, reported?: object): Buffer =>
    openAiChunk({}, [{ index: 0, delta, finish_reason: finish }], reported);
  // A usage after all pieces would say that the answer is over.
  const beside = ending === "ends without a finish reason" && place === "own" ? "last" : place;
  await exchange.send(chunk({ role: "assistant", content: "" }, null));
  for (const [index, content] of PIECES.entries()) {
    const here =
      (beside === "first" && index === 0) ||
      (beside === "last" && index === PIECES.length - 1 && ending !== "ends normally");
    await exchange.send(chunk({ content }, null, here ? usage : undefined));
  }
  if (ending === "ends normally")
    await exchange.send(chunk({}, "stop", place === "last" ? usage : undefined));
  if (beside === "own" && usage !== undefined) await exchange.send(openAiChunk({}, [], usage));
  switch (ending) {
    case "ends normally":
      await exchange.send(sseEvent("[DONE]"));
      return exchange.end();
    case "ends without a finish reason":
      return exchange.end();
    case "is cut":
      return exchange.destroy();
    case "ends with an error":
      await exchange.send(
        sseEvent({ error: { message: ERROR_WORDS, type: "server_error", code: null } }),
      );
      return exchange.end();
  }
}

async function wholeAnswer(
  exchange: Exchange,
  { usage }: UsageCase,
  ending: Ending,
): Promise<void> {
  const body = Buffer.from(
    JSON.stringify(openAiCompletion({ pieces: PIECES, ...(usage === undefined ? {} : { usage }) })),
  );
  switch (ending) {
    case "ends normally":
      exchange.head(200, { "content-type": "application/json" });
      await exchange.send(body);
      return exchange.end();
    case "ends without a finish reason":
      exchange.head(200, { "content-type": "application/json" });
      await exchange.send(body.subarray(0, -20));
      return exchange.end();
    case "is cut":
      exchange.head(200, { "content-type": "application/json", "content-length": body.length });
      await exchange.send(body.subarray(0, -20));
      return exchange.destroy();
    case "ends with an error":
      return exchange.json(200, {
        error: { message: ERROR_WORDS, type: "server_error", code: null },
        usage,
      });
  }
}

/**
 * How the client gets it. With 0.1 roubles the worst case of the request, 0.03, is too much to hold
 * at once, so the answer is assembled.
 */
const WAYS = {
  streamed: { roubles: "100", stream: true, answer: streamAnswer },
  "passed through whole": { roubles: "100", stream: false, answer: wholeAnswer },
  assembled: { roubles: "0.1", stream: false, answer: streamAnswer },
} as const;
type Way = keyof typeof WAYS;

function textOf(answer: ChatAnswer): string {
  return answer.body.toString();
}

/** What the client must see. */
function checkWire(
  answer: ChatAnswer,
  way: Way,
  ending: Ending,
  usage: UsageCase,
  cell: string,
): void {
  const text = textOf(answer);
  if (way === "streamed") {
    assert.equal(answer.status, 200, `${cell}: ${text}`);
    for (const piece of PIECES)
      assert.equal(text.split(`"content":"${piece}"`).length, 2, `${cell}: each piece once`);
    const whole = ending === "ends normally";
    assert.deepEqual(
      [
        answer.broken,
        text.includes("[DONE]"),
        text.includes('"finish_reason":"stop"'),
        /\n\ndata: \{"error":\{[^\n]+\n\n$/.test(text),
      ],
      [!whole, whole, whole, !whole],
      `${cell}: a broken stream ends with an error and without its proper end`,
    );
    assert.equal(
      text.includes(ERROR_WORDS),
      ending === "ends with an error",
      `${cell}: the caller is told the cause`,
    );
  } else if (ending === "ends normally") {
    const completion = JSON.parse(text) as {
      choices: { message: { content: string }; finish_reason: string }[];
      usage: { prompt_tokens: number; completion_tokens: number };
    };
    assert.deepEqual(
      [answer.status, completion.choices[0]?.message.content, completion.choices[0]?.finish_reason],
      [200, PIECES.join(""), "stop"],
      cell,
    );
    if (usage.source === "upstream")
      assert.deepEqual(completion.usage, usage.usage, `${cell}: the usage as the upstream gave it`);
    else {
      const { prompt_tokens: input, completion_tokens: output } = completion.usage;
      assert.equal(
        standardPrice({ input, output }),
        usage.charge,
        `${cell}: the usage that was charged`,
      );
    }
  } else {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    assert.deepEqual([answer.status, error.code], [502, "upstream_error"], cell);
    // Before the first word another route might have served: then it is no cause of this caller's.
    assert.equal(
      error.message.includes(ERROR_WORDS),
      way === "assembled" && ending === "ends with an error",
      cell,
    );
  }
}

for (const [way, { roubles, stream, answer: script }] of Object.entries(WAYS) as [
  Way,
  (typeof WAYS)[Way],
][]) {
  const usages = script === streamAnswer ? [...USAGES, ...PLACEHOLDERS] : USAGES;
  for (const ending of ENDINGS) {
    test(`${way}, and the upstream ${ending}: one outcome for each of ${usages.length} usages`, async () => {
      await Promise.all(
        usages.map(async (usage) => {
          const cell = `${way}, ${ending}, usage ${usage.name}`;
          const customer = await scene.customer({ roubles });
          const play = scene.play((exchange) => script(exchange, usage, ending));
          const body = {
            model: "standard",
            messages: MESSAGES,
            user: play.user,
            max_tokens: LIMIT,
            stream,
          };
          const answer = await postChat(scene.gateway.url, customer.secret, body).answer;
          checkWire(answer, way, ending, usage, cell);
          assert.equal(
            ((await play.asked).json() as { stream?: boolean }).stream === true,
            script === streamAnswer,
            `${cell}: delivered in this way`,
          );
          const { state, chargedNano, detail } = await scene.receipt(answer.requestId);
          const found = [
            state,
            chargedNano,
            detail["usageSource"],
            await scene.losses(customer.accountId),
            detail["suspicion"] !== null,
          ];
          const charged = ending === "ends normally" || stream;
          const expected = charged
            ? [
                stream && ending !== "ends normally" ? "interrupted" : "completed",
                usage.charge,
                usage.source,
                usage.loss > 0n ? [usage.loss] : [],
                usage.suspicious,
              ]
            : ["failed", 0n, "none", [], false];
          assert.deepEqual(found, expected, cell);
          const money = await scene.money(customer.accountId);
          assert.deepEqual([money.charged, money.held], [chargedNano, 0n], cell);
        }),
      );
      // Twenty failures in a row, and the route would not be called any more: one answer that is
      // well makes up for these.
      const customer = await scene.customer();
      const play = scene.play((exchange) =>
        wholeAnswer(exchange, believed("", VALID, "own", VALID_PRICE), "ends normally"),
      );
      const body = { model: "standard", messages: MESSAGES, user: play.user, max_tokens: LIMIT };
      assert.equal((await postChat(scene.gateway.url, customer.secret, body).answer).status, 200);
    });
  }
}

/**
 * Cached tokens are part of the prompt, reasoning is part of the completion (OpenAI), but for
 * upstreams that leave reasoning out (xAI).
 */
const CLASSES: readonly (readonly [name: string, usage: object, price: bigint])[] = [
  ["plain", usageOf(100, 40), standardPrice({ input: 100, output: 40 })],
  [
    "read from a cache",
    usageOf(100, 40, { prompt_tokens_details: { cached_tokens: 64 } }),
    standardPrice({ input: 36, cached: 64, output: 40 }),
  ],
  [
    "written to a cache",
    usageOf(100, 40, { prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 64 } }),
    standardPrice({ input: 100, output: 40 }),
  ],
  [
    "a cache hit in DeepSeek's words",
    usageOf(100, 40, { prompt_cache_hit_tokens: 64 }),
    standardPrice({ input: 36, cached: 64, output: 40 }),
  ],
  [
    "hidden reasoning",
    usageOf(100, 40, { completion_tokens_details: { reasoning_tokens: 39 } }),
    standardPrice({ input: 100, output: 40 }),
  ],
  [
    "reasoning beside the completion, as the total shows",
    {
      ...usageOf(100, 10, { completion_tokens_details: { reasoning_tokens: 30 } }),
      total_tokens: 140,
    },
    standardPrice({ input: 100, output: 40 }),
  ],
];

test("every class of tokens is charged once, at its own price, whichever way the answer goes", async () => {
  for (const [name, usage, price] of CLASSES) {
    for (const [way, { roubles, stream, answer: script }] of Object.entries(WAYS)) {
      const customer = await scene.customer({ roubles });
      const play = scene.play((exchange) =>
        script(exchange, believed(name, usage, "own", price), "ends normally"),
      );
      const body = {
        model: "standard",
        messages: MESSAGES,
        user: play.user,
        max_tokens: LIMIT,
        stream,
      };
      const answer = await postChat(scene.gateway.url, customer.secret, body).answer;
      assert.equal((await scene.receipt(answer.requestId)).chargedNano, price, `${name}, ${way}`);
    }
  }
});

test("an unbelievable usage is an alert in the log and in the metrics", async () => {
  const line = await scene.gateway.logged(({ msg }) =>
    /usage that cannot be true/.test(String(msg)),
  );
  assert.equal(typeof line["suspicion"], "string");
  const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text();
  assert.match(metrics, /^tollgate_suspicions_total\{kind="unbelievable_usage"\} [1-9]/m);
});

test("the books agree after all of this", () => scene.verifyBooks());
