/**
 * Guarantee: an answer that the balance cannot pay to its end is stopped where the money ends,
 * properly, and no account ever pays more than it has (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nano } from "../../src/kernel/money.ts";
import { openChatScene, standardPrice, type ChatScene } from "../support/chat-scene.ts";
import { openAiChunk, openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";
import { createGate, type Handler } from "../support/scripted-upstream.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene();
});
after(() => scene.close());

const MESSAGES = [{ role: "user", content: "Count to two hundred" }];
/**
 * Pays the prompt and some 1,600 words of answer: more than the first slice that is held, far less
 * than the model's limit.
 */
const ROUBLES = "1";
const BALANCE = 1_000_000_000n;

/**
 * Talks until it is stopped: 30 MB of it are more than the buffers on the way can take, however far
 * behind the gateway is.
 */
function endless(n = 1): Handler {
  return async (exchange) => {
    const role = Array.from({ length: n }, (_, index) => ({
      index,
      delta: { role: "assistant", content: "" },
      finish_reason: null,
    }));
    await exchange.send(openAiChunk({}, role));
    for (let word = 0; word < 200_000; word++) {
      const choice = { index: word % n, delta: { content: " word" }, finish_reason: null };
      if (!(await exchange.sendAll([openAiChunk({}, [choice])]))) return;
    }
    assert.fail("nobody stopped the upstream");
  };
}

interface Chunk {
  readonly id: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

/** The chunks of a properly ended stream. */
function chunksOf(body: Buffer): Chunk[] {
  const events = body.toString().split("\n\n");
  assert.deepEqual(events.slice(-2), ["data: [DONE]", ""], "the stream ends properly");
  return events.slice(0, -2).map((event) => JSON.parse(event.slice("data: ".length)) as Chunk);
}

for (const includeUsage of [true, false]) {
  test(`a stream ends with finish_reason "length" and [DONE] where the balance ends, ${includeUsage ? "with" : "without"} a usage chunk`, async () => {
    const customer = await scene.customer({ roubles: ROUBLES });
    const play = scene.play(endless());
    const body = {
      model: "standard",
      messages: MESSAGES,
      user: play.user,
      stream: true,
      ...(includeUsage ? { stream_options: { include_usage: true } } : {}),
    };
    const answer = await postChat(scene.gateway.url, customer.secret, body).answer;
    assert.deepEqual([answer.status, answer.broken], [200, false]);
    const chunks = chunksOf(answer.body);
    assert.equal(
      new Set(chunks.map((chunk) => chunk.id)).size,
      1,
      "one completion from the first chunk to the last",
    );
    assert.deepEqual(
      chunks.flatMap((chunk) => chunk.choices.flatMap((choice) => choice.finish_reason ?? [])),
      ["length"],
    );
    const words = chunks.filter((chunk) => chunk.choices[0]?.delta.content === " word").length;
    const usages = chunks.flatMap((chunk) => chunk.usage ?? []);
    if (includeUsage) assert.deepEqual([usages.length, usages[0]?.completion_tokens], [1, words]);
    else assert.deepEqual(usages, []);

    await (
      await play.asked
    ).aborted;
    const receipt = await scene.receipt(answer.requestId);
    assert.deepEqual(
      [receipt.state, receipt.detail["usageSource"], receipt.detail["finishReason"]],
      ["stopped_by_balance", "counted", "length"],
    );
    assert.equal(
      (receipt.detail["usage"] as { outputTokens: number }).outputTokens,
      words,
      "charged for every word that was delivered",
    );
    assert.equal(receipt.detail["lossNano"], "0");
    const money = await scene.money(customer.accountId);
    assert.equal(money.charged, receipt.chargedNano);
    assert.ok(money.charged <= BALANCE && money.held === 0n && money.available >= 0n);
    // The last step of a hold is 64 tokens, held at the upper price of a word; less than that is
    // left.
    assert.ok(
      money.available < BALANCE / 4n,
      `most of the balance was used: ${money.available} is left`,
    );
  });
}

test("a whole answer is put together as far as the money goes, with finish_reason length and the usage that is charged", async () => {
  const customer = await scene.customer({ roubles: ROUBLES });
  const play = scene.play(endless());
  const answer = await postChat(scene.gateway.url, customer.secret, {
    model: "standard",
    messages: MESSAGES,
    user: play.user,
  }).answer;
  assert.equal(answer.status, 200);
  const completion = JSON.parse(answer.body.toString()) as {
    choices: { message: { role: string; content: string }; finish_reason: string }[];
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  const [choice] = completion.choices;
  assert.equal(choice?.finish_reason, "length");
  assert.match(choice.message.content, /^( word)+$/);
  assert.equal(completion.usage.completion_tokens, choice.message.content.length / " word".length);
  const receipt = await scene.receipt(answer.requestId);
  assert.deepEqual([receipt.state, receipt.detail["lossNano"]], ["stopped_by_balance", "0"]);
  assert.equal(
    answer.headers["x-tollgate-cost"],
    `0.${String(receipt.chargedNano).padStart(9, "0").replace(/0+$/, "")}`,
  );
  const money = await scene.money(customer.accountId);
  assert.deepEqual([money.charged, money.held], [receipt.chargedNano, 0n]);
  assert.ok(money.charged > 0n && money.charged <= BALANCE);
});

test("every open choice of a stopped stream is ended", async () => {
  const customer = await scene.customer({ roubles: "3" });
  const play = scene.play(endless(3));
  const body = { model: "standard", messages: MESSAGES, user: play.user, stream: true, n: 3 };
  const answer = await postChat(scene.gateway.url, customer.secret, body).answer;
  const ends = chunksOf(answer.body).flatMap((chunk) =>
    chunk.choices.flatMap((choice) =>
      choice.finish_reason === null ? [] : [[choice.index, choice.finish_reason]],
    ),
  );
  assert.deepEqual(ends, [
    [0, "length"],
    [1, "length"],
    [2, "length"],
  ]);
});

test("a key's own limit stops a stream in the same way, whatever the balance is", async () => {
  const customer = await scene.customer({
    key: { limit: { amountNano: nano(BALANCE), period: "day" } },
  });
  const play = scene.play(endless());
  const body = { model: "standard", messages: MESSAGES, user: play.user, stream: true };
  const answer = await postChat(scene.gateway.url, customer.secret, body).answer;
  chunksOf(answer.body);
  const receipt = await scene.receipt(answer.requestId);
  assert.equal(receipt.state, "stopped_by_balance");
  assert.ok(receipt.chargedNano > 0n && receipt.chargedNano <= BALANCE);
});

test("many streams on one small balance: all are stopped or refused, together they pay no more than there is", async () => {
  const customer = await scene.customer({ roubles: "2" });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => {
      const body = {
        model: "standard",
        messages: MESSAGES,
        user: scene.play(endless()).user,
        stream: true,
      };
      return postChat(scene.gateway.url, customer.secret, body).answer;
    }),
  );
  for (const { status, body } of answers) {
    if (status === 200) chunksOf(body);
    else assert.equal(status, 402);
  }
  const admitted = answers.filter(({ status }) => status === 200).length;
  assert.ok(admitted > 0);
  const receipts = await scene.receipts(customer.accountId, admitted);
  assert.ok(receipts.every(({ state }) => state === "stopped_by_balance"));
  const money = await scene.money(customer.accountId);
  assert.equal(
    receipts.reduce((sum, { chargedNano }) => sum + chargedNano, 0n),
    money.charged,
  );
  assert.ok(money.charged <= 2n * BALANCE);
});

/** Thinks in silence: a word is said, thousands of tokens are reported. */
const HIDDEN = {
  prompt_tokens: 17,
  completion_tokens: 5000,
  total_tokens: 5017,
  completion_tokens_details: { reasoning_tokens: 4999 },
};
const HIDDEN_PRICE = standardPrice({ input: 17, output: 5000 });

for (const [name, roubles, paid] of [
  ["paid in full where the balance can pay it", "10", true],
  ["paid as far as it was held where not, and the rest is the operator's loss", "1", false],
] as const) {
  test(`hidden reasoning beyond what was held is ${name}; another request's hold is not touched`, async () => {
    const customer = await scene.customer({ roubles });
    const done = createGate();
    const bystander = scene.play(async (exchange) => {
      await exchange.sendAll(
        openAiStream({
          pieces: [" one"],
          usage: { prompt_tokens: 13, completion_tokens: 1, total_tokens: 14 },
        }).slice(0, 2),
      );
      await done.wait;
      await exchange.sendAll(
        openAiStream({
          pieces: [],
          usage: { prompt_tokens: 13, completion_tokens: 1, total_tokens: 14 },
        }).slice(1),
      );
      exchange.end();
    });
    const body = { model: "standard", messages: MESSAGES, stream: true };
    const waiting = postChat(scene.gateway.url, customer.secret, {
      ...body,
      max_tokens: 100,
      user: bystander.user,
    });
    await waiting.seen('" one"');
    const heldBefore = await until("it is seen to be held for", async () => {
      const { held } = await scene.money(customer.accountId);
      return held > 0n && held;
    });

    const play = scene.play(async (exchange) => {
      await exchange.sendAll(openAiStream({ pieces: [" hm"], usage: HIDDEN }));
      exchange.end();
    });
    const answer = await postChat(scene.gateway.url, customer.secret, { ...body, user: play.user })
      .answer;
    chunksOf(answer.body);
    const receipt = await scene.receipt(answer.requestId);
    const losses = await scene.losses(customer.accountId);
    if (paid) assert.deepEqual([receipt.chargedNano, losses], [HIDDEN_PRICE, []]);
    else assert.deepEqual(losses, [HIDDEN_PRICE - receipt.chargedNano]);
    assert.ok(receipt.chargedNano > 0n);
    assert.equal((await scene.money(customer.accountId)).held, heldBefore);

    done.open();
    const { requestId, broken } = await waiting.answer;
    assert.equal(broken, false);
    assert.equal(
      (await scene.receipt(requestId)).chargedNano,
      standardPrice({ input: 13, output: 1 }),
    );
  });
}

test("the books agree after all of this", () => scene.verifyBooks());
