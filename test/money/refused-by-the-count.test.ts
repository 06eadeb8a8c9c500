/**
 * Guarantee: no request is refused for money that has 1.10 times the price of its counted prompt
 * and of its first 256 tokens, and a 402 says what was needed by that count (contract §6).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { formatRoubles, parseRoubles, type Nano } from "../../src/kernel/money.ts";
import { claudeCodeRequest, clineRequest, opencodeRequests } from "../clients/agent-requests.ts";
import { anthropicStream } from "../support/anthropic-stream.ts";
import { openChatScene, standardPrice, type ChatScene } from "../support/chat-scene.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { pairsCatalogue } from "../support/protocol-pairs.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds, totals } from "./books.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({
    catalogue: (url) => `${pairsCatalogue(url)}
  measured: { type: chat, endpoints: [chat.completions, messages], contextTokens: 200000, maxOutputTokens: 32000,
    price: { input: "150", cachedInput: "15", cacheWrite5m: "187.5", cacheWrite1h: "300", output: "600" },
    routes: [{ upstream: anthropic-upstream, model: echo-large, countFactor: { input: "1.5", output: "1.6" } }] }
`,
  });
});
after(() => scene.close());

const MESSAGES = "/v1/messages";
const COMPLETIONS = "/v1/chat/completions";
const ASK = "Say what stands in the file.";
const OPENCODE = opencodeRequests("over-openai", ASK).at(-1) ?? {};
const HELLO = { messages: [{ role: "user", content: "Привет! ".repeat(500) }], stream: true };

interface Shape {
  readonly name: string;
  readonly path: string;
  readonly body: object;
}

const SHAPES: readonly Shape[] = [
  { name: "Claude Code", path: MESSAGES, body: { ...claudeCodeRequest("over-openai", ASK) } },
  { name: "opencode", path: COMPLETIONS, body: OPENCODE },
  { name: "Cline", path: COMPLETIONS, body: { ...clineRequest("over-openai", ASK) } },
  { name: "a plain chat", path: COMPLETIONS, body: { ...HELLO, model: "over-openai" } },
  {
    name: "a plain message",
    path: MESSAGES,
    body: { ...HELLO, model: "over-openai", max_tokens: 100 },
  },
];

/** Nano-roubles for the counted prompt and the first tokens of the answer. */
async function countedPrice(shape: Shape, secret: string): Promise<bigint> {
  const response = await fetch(`${scene.gateway.url}/v1/quote/${shape.path.slice("/v1/".length)}`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json" },
    body: JSON.stringify(shape.body),
  });
  const quote = (await response.json()) as {
    inputTokens: { counted: number };
    maxOutputTokens: number;
  };
  assert.equal(response.status, 200);
  return standardPrice({
    input: quote.inputTokens.counted,
    output: Math.min(quote.maxOutputTokens, 256),
  });
}

function ask(
  shape: Shape,
  secret: string,
  user: string,
  url = scene.gateway.url,
): Promise<ChatAnswer> {
  const own = shape.path === MESSAGES ? { metadata: { user_id: user } } : { user };
  return postChat(url, secret, { ...shape.body, ...own }, shape.path).answer;
}

const answered = openAiStream({
  pieces: ["All", " is", " well"],
  usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
});

function neededOf({ body }: ChatAnswer): bigint {
  const needed = parseRoubles(/it needs ([\d.]+) RUB/.exec(body.toString())?.[1] ?? "");
  assert.ok(needed !== null, body.toString());
  return needed;
}

const rows: string[] = [];
after(() => console.log(`402: asked ÷ counted\n${rows.join("\n")}`));

suite("what agents send", { concurrency: 2, timeout: 120_000 }, () => {
  for (const shape of SHAPES) {
    test(`${shape.name}: refused below the counted price, with that in its words; never refused with 1.10 of it`, async () => {
      const rich = await scene.customer();
      const counted = await countedPrice(shape, rich.secret);
      const poor = await scene.customer({ roubles: formatRoubles(((counted * 9n) / 10n) as Nano) });
      const refused = await ask(shape, poor.secret, "no play");
      assert.equal(refused.status, 402);
      const needed = neededOf(refused);
      rows.push(
        `${shape.name} | ${formatRoubles(counted as Nano)} | ${(Number((needed * 1000n) / counted) / 1000).toFixed(3)}`,
      );
      assert.ok(needed >= counted && needed * 100n <= counted * 110n, `${needed} for ${counted}`);
      const just = await scene.customer({
        roubles: formatRoubles(((counted * 11n) / 10n) as Nano),
      });
      const play = scene.play(async (exchange) => {
        if (await exchange.sendAll(answered)) exchange.end();
      });
      const answer = await ask(shape, just.secret, play.user);
      assert.equal(answer.status, 200, answer.body.toString());
      const [receipt] = await scene.receipts(just.accountId, 1);
      assert.equal(receipt?.detail["lossNano"], "0");
    });
  }

  test("without a factor the estimate stays for another vendor's tokenizer; with one the count times it decides", async () => {
    const { secret } = await scene.customer();
    const foreign = {
      name: "",
      path: MESSAGES,
      body: { ...HELLO, model: "over-anthropic", max_tokens: 100 },
    };
    const measured = { ...foreign, body: { ...foreign.body, model: "measured" } };
    const counted = await countedPrice(foreign, secret);
    const poor = await scene.customer({ roubles: formatRoubles(((counted * 11n) / 10n) as Nano) });
    const byEstimate = neededOf(await ask(foreign, poor.secret, "no play"));
    const byFactor = neededOf(await ask(measured, poor.secret, "no play"));
    assert.ok(byEstimate * 10n > counted * 12n, "the upper estimate, by the dearest kind");
    assert.ok(
      byFactor * 10n > counted * 14n && byFactor * 10n < counted * 16n,
      `${byFactor} for ${counted} × 1.5`,
    );
    const just = await scene.customer({
      roubles: formatRoubles(((counted * 165n) / 100n) as Nano),
    });
    const events = anthropicStream({
      blocks: [{ type: "text", pieces: ["ok"] }],
      startUsage: { input_tokens: 9, output_tokens: 1 },
    });
    const play = scene.play(async (exchange) => {
      if (await exchange.sendAll(events)) exchange.end();
    });
    assert.equal((await ask(measured, just.secret, play.user)).status, 200);
  });
});

test("at the edge of a balance and of a key's limit, over two processes, never more is held and charged than there is", async () => {
  const shape: Shape = {
    name: "",
    path: COMPLETIONS,
    body: { ...HELLO, model: "over-openai", max_tokens: 256 },
  };
  const { secret } = await scene.customer();
  const counted = await countedPrice(shape, secret);
  const other = await scene.anotherGateway();
  for (const limited of [false, true]) {
    const there = (counted * 33n) / 10n;
    const customer = limited
      ? await scene.customer({ key: { limit: { amountNano: there as Nano, period: "total" } } })
      : await scene.customer({ roubles: formatRoubles(there as Nano) });
    const play = scene.play(async (exchange) => {
      for (let reported = 0; reported < 400; reported++)
        if (!(await exchange.sendAll([answered[1] ?? ""]))) return;
      await exchange.sendAll(answered.slice(-2));
      exchange.end();
    });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, turn) =>
        ask(shape, customer.secret, play.user, turn % 2 === 0 ? scene.gateway.url : other.url),
      ),
    );
    assert.ok(answers.every(({ status }) => status === 200 || status === 402));
    assert.ok(answers.some(({ status }) => status === 200));
    const { chargedNano, heldNano, lossNano } = await until("all is settled", async () => {
      const now = await totals(scene.db, customer.accountId);
      return now.heldNano === 0n && now;
    });
    assert.ok(
      chargedNano <= there && heldNano === 0n && lossNano === 0n,
      `${chargedNano} of ${there}, lost ${lossNano}`,
    );
  }
  await scene.verifyBooks();
});

test("a process that is killed at the edge leaves a hold that another ends, within the balance", async () => {
  const shape: Shape = { name: "", path: COMPLETIONS, body: { ...HELLO, model: "over-openai" } };
  const { secret } = await scene.customer();
  const counted = await countedPrice(shape, secret);
  const victim = await scene.anotherGateway();
  const there = (counted * 13n) / 10n;
  const customer = await scene.customer({ roubles: formatRoubles(there as Nano) });
  // The estimate would have stopped it before: 256 tokens of words are held, and more than that is
  // said.
  const play = scene.play(async (exchange) => {
    for (let reported = 0; reported < 100; reported++)
      await exchange.sendAll([answered[1] ?? "", answered[2] ?? "", answered[3] ?? ""]);
    await exchange.hang();
  });
  const asking = ask(shape, customer.secret, play.user, victim.url);
  const [hold] = await until("the hold is recorded", async () => {
    const found = await liveHolds(scene.db);
    return found.length === 1 && (found[0]?.recordedNano ?? 0n) > counted / 2n && found;
  });
  await victim.kill();
  await asking.catch(() => undefined);
  await until("the hold has ended", async () => (await liveHolds(scene.db)).length === 0, 60_000);
  const ended = await endings(scene.db, customer.accountId);
  assert.deepEqual(
    ended.map(({ id, kind, recovered }) => [id, kind, recovered]),
    [[hold?.id, "charge", true]],
  );
  const { chargedNano, availableNano } = await totals(scene.db, customer.accountId);
  assert.ok(chargedNano > 0n && chargedNano <= there && availableNano >= 0n);
  await scene.verifyBooks();
});
