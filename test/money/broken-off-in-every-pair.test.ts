/**
 * Guarantee: in every pairing of protocols, an answer that is broken off, because the client
 * leaves, the balance ends or the process dies, costs what was delivered of it, and no hold is left
 * behind (hazards §1, §2, §15; contract §6).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { openChatScene, standardPrice, type ChatScene } from "../support/chat-scene.ts";
import { pairAnswer } from "../support/pair-answers.ts";
import type { ChatAnswer } from "../support/post-chat.ts";
import {
  askPair,
  countedPrompt,
  pairName,
  PAIRS,
  pairsCatalogue,
  type Caller,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";
import { createGate, type Exchange } from "../support/scripted-upstream.ts";
import { sdkCompletion } from "../support/sdk-completion.ts";
import { sdkMessage } from "../support/sdk-message.ts";
import { responseEvents } from "../support/strict-response.ts";
import { until } from "../support/until.ts";
import { endings, liveHolds } from "./books.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
});
after(() => scene.close());

const CONTENT = "Count to two hundred";
const PIECES = [" one", " two", " three", ...Array.from({ length: 197 }, () => " word")];
/** 17 tokens in, 200 out. */
const ANSWER = { pieces: PIECES, tokens: { input: 17, output: 200 } };
/** Events before the first piece. */
const HEADS: Readonly<Record<Protocol, number>> = { openai: 1, anthropic: 2, responses: 4 };
const ALL = standardPrice({ input: 17, output: 200 });

/** The events of a stream up to its piece of this number. */
function upToPiece(upstream: Protocol, count: number): readonly Buffer[] {
  return pairAnswer(upstream, ANSWER).events.slice(0, HEADS[upstream] + count);
}

/** So many words delivered; an upstream of the Messages protocol has told its input by then. */
function priceOf({ caller, upstream }: Pair, words: number): bigint {
  return standardPrice({
    input: upstream === "anthropic" ? 17 : countedPrompt(caller, CONTENT),
    output: words,
  });
}

async function gatewayCaughtUp(): Promise<void> {
  await (await fetch(`${scene.gateway.url}/healthz`)).arrayBuffer();
}

/** Talks until it is stopped. */
function endless(upstream: Protocol): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const begun = upToPiece(upstream, 3);
    await exchange.sendAll(begun);
    const word = pairAnswer(upstream, ANSWER).events[begun.length] ?? "";
    for (let reported = 0; reported < 200_000; reported++)
      if (!(await exchange.sendAll([word]))) return;
    assert.fail("nobody stopped the upstream");
  };
}

interface StoppedResponse {
  readonly output: readonly { readonly content: readonly { readonly text: string }[] }[];
  readonly incomplete_details: { readonly reason: string };
  readonly usage: { readonly output_tokens: number };
}

/** In the caller's protocol. */
const LIMIT_WORDS: Readonly<Record<Caller, string>> = {
  openai: "length",
  anthropic: "max_tokens",
  responses: "max_output_tokens",
};

interface Stopped {
  readonly text: string;
  readonly finish: string | null;
  readonly outputTokens: number | undefined;
}

/**
 * What the caller is told, streamed or whole: by the official SDK, which takes only a properly
 * ended stream.
 */
async function readStopped(
  caller: Caller,
  { body }: ChatAnswer,
  stream: boolean,
): Promise<Stopped> {
  if (caller === "responses") {
    const response = stream
      ? responseEvents(body).at(-1)?.["response"]
      : (JSON.parse(body.toString()) as unknown);
    const { output, incomplete_details: details, usage } = response as StoppedResponse;
    return {
      text: output.flatMap(({ content }) => content.map(({ text }) => text)).join(""),
      finish: details.reason,
      outputTokens: usage.output_tokens,
    };
  }
  if (caller === "openai") {
    const completion = stream
      ? (await sdkCompletion(body)).completion
      : (JSON.parse(body.toString()) as Awaited<ReturnType<typeof sdkCompletion>>["completion"]);
    const [choice] = completion.choices;
    return {
      text: choice?.message.content ?? "",
      finish: choice?.finish_reason ?? null,
      outputTokens: completion.usage?.completion_tokens,
    };
  }
  const message = (stream ? await sdkMessage(body) : JSON.parse(body.toString())) as {
    content: { text: string }[];
    stop_reason: string;
    usage: { output_tokens: number };
  };
  return {
    text: message.content.map(({ text }) => text).join(""),
    finish: message.stop_reason,
    outputTokens: message.usage.output_tokens,
  };
}

/**
 * At once, because most of the time only a clock is at work: a killed process is given half a
 * minute to show that it lives.
 */
suite("in every pairing", { concurrency: 4, timeout: 300_000 }, () => {
  test("what a killed process had recorded of its streams is charged by another, once; of what it had put together nothing, since its caller got nothing", async () => {
    const victim = await scene.anotherGateway();
    const killed = await Promise.all(
      PAIRS.flatMap((pair) =>
        [true, false].map(async (stream) => {
          // With this little the whole answer is put together from a stream.
          const customer = await scene.customer({ roubles: "40" });
          const play = scene.play(async (exchange) => {
            await exchange.sendAll(upToPiece(pair.upstream, 150));
            await exchange.hang();
          });
          const client = askPair(
            scene,
            customer.secret,
            pair,
            { content: CONTENT, user: play.user, stream },
            victim.url,
          );
          await play.asked;
          if (stream)
            await until("all of it is delivered", async () =>
              client.seen('" three"').then(() => true),
            );
          const [hold] = await until(`something of ${pairName(pair)} is saved`, async () => {
            const holds = await scene.db.query<{ id: string }>(
              "SELECT request_id AS id FROM ledger.unfinished WHERE account_id = $1 AND recorded_nano >= $2",
              [customer.accountId, priceOf(pair, 100)],
            );
            return holds.length === 1 && holds;
          });
          assert.ok(hold !== undefined);
          return { pair, stream, customer, id: hold.id };
        }),
      ),
    );
    await victim.kill();
    const recorded = new Map(
      (await liveHolds(scene.db)).map(({ id, recordedNano }) => [id, recordedNano]),
    );
    const ids = new Set(killed.map(({ id }) => id));
    const live = async (): Promise<boolean> =>
      (await liveHolds(scene.db)).some(({ id }) => ids.has(id));
    await until("every hold of the killed process has ended", async () => !(await live()), 60_000);
    for (const { pair, stream, customer, id } of killed) {
      const ended = await endings(scene.db, customer.accountId);
      assert.ok((recorded.get(id) ?? 0n) > 0n, pairName(pair));
      const chargedNano = stream ? recorded.get(id) : 0n;
      const [kind, state] = stream ? ["charge", "interrupted"] : ["release", "failed"];
      assert.deepEqual(
        ended.map((ending) => [
          ending.id,
          ending.kind,
          ending.chargedNano,
          ending.state,
          ending.receiptNano,
          ending.recovered,
        ]),
        [[id, kind, chargedNano, state, chargedNano, true]],
        pairName(pair),
      );
      assert.ok(chargedNano !== undefined && chargedNano <= priceOf(pair, 150), pairName(pair));
      assert.deepEqual(
        [
          (await scene.money(customer.accountId)).charged,
          (await scene.money(customer.accountId)).held,
        ],
        [chargedNano, 0n],
      );
    }
  });

  for (const pair of PAIRS) {
    test(`${pairName(pair)}: 50 clients leave after the third of 200 pieces: the upstream is let go, and each pays for three`, async () => {
      const customer = await scene.customer({ roubles: "1000" });
      const play = scene.play(async (exchange) => {
        await exchange.sendAll(upToPiece(pair.upstream, 3));
        await exchange.hang();
      });
      const clients = Array.from({ length: 50 }, () =>
        askPair(scene, customer.secret, pair, { content: CONTENT, user: play.user, stream: true }),
      );
      await Promise.all(
        clients.map(async (client) => {
          await client.seen('" three"');
          client.leave();
        }),
      );
      await Promise.all(play.requests.map((request) => request.aborted));
      for (const { state, chargedNano, detail } of await scene.receipts(customer.accountId, 50)) {
        assert.deepEqual(
          [state, chargedNano, detail["usageSource"]],
          ["client_gone", priceOf(pair, 3), "counted"],
        );
      }
      assert.equal((await scene.money(customer.accountId)).charged, priceOf(pair, 3) * 50n);
    });

    test(`${pairName(pair)}: where the upstream is to be drained, clients that leave pay its own usage`, async () => {
      const customer = await scene.customer({ roubles: "1000" });
      const left = createGate();
      const play = scene.play(async (exchange) => {
        const begun = upToPiece(pair.upstream, 3);
        await exchange.sendAll(begun);
        await left.wait;
        assert.ok(
          await exchange.sendAll(pairAnswer(pair.upstream, ANSWER).events.slice(begun.length)),
          "the gateway reads to the end",
        );
        exchange.end();
      });
      const clients = Array.from({ length: 10 }, () =>
        askPair(scene, customer.secret, pair, {
          content: CONTENT,
          user: play.user,
          stream: true,
          drained: true,
        }),
      );
      await Promise.all(
        clients.map(async (client) => {
          await client.seen('" three"');
          client.leave();
        }),
      );
      await gatewayCaughtUp();
      left.open();
      for (const { state, chargedNano, detail } of await scene.receipts(customer.accountId, 10)) {
        assert.deepEqual(
          [state, chargedNano, detail["usageSource"]],
          ["client_gone", ALL, "upstream"],
        );
      }
    });

    for (const [way, roubles, streamed] of [
      ["passed through", "100", false],
      ["assembled", "40", true],
    ] as const) {
      test(`${pairName(pair)}: a whole answer (${way}) whose client leaves before it comes costs nothing, or its usage where it is drained`, async () => {
        for (const drained of [false, true]) {
          const customer = await scene.customer({ roubles });
          const left = createGate();
          const play = scene.play(async (exchange) => {
            if (streamed) await exchange.sendAll(upToPiece(pair.upstream, 3));
            if (!drained) return exchange.hang();
            await left.wait;
            if (!streamed) return exchange.json(200, pairAnswer(pair.upstream, ANSWER).whole);
            assert.ok(
              await exchange.sendAll(
                pairAnswer(pair.upstream, ANSWER).events.slice(upToPiece(pair.upstream, 3).length),
              ),
              "the gateway reads to the end",
            );
            exchange.end();
          });
          const client = askPair(scene, customer.secret, pair, {
            content: CONTENT,
            user: play.user,
            stream: false,
            drained,
          });
          const asked = await play.asked;
          assert.equal((asked.json() as { stream?: boolean }).stream === true, streamed);
          client.leave();
          if (drained) await gatewayCaughtUp();
          else await asked.aborted;
          left.open();
          const [receipt] = await scene.receipts(customer.accountId, 1);
          assert.deepEqual(
            [receipt?.state, receipt?.chargedNano],
            ["client_gone", drained ? ALL : 0n],
            `drained: ${drained}`,
          );
        }
      });
    }
  }

  for (const pair of PAIRS) {
    for (const stream of [true, false]) {
      test(`${pairName(pair)}: an answer ${stream ? "in a stream" : "put together from a stream"} is ended properly where the balance ends, and told what it cost`, async () => {
        const customer = await scene.customer({ roubles: "1" });
        const play = scene.play(endless(pair.upstream));
        const answer = await askPair(scene, customer.secret, pair, {
          content: CONTENT,
          user: play.user,
          stream,
        }).answer;
        assert.deepEqual([answer.status, answer.broken], [200, false]);
        const stopped = await readStopped(pair.caller, answer, stream);
        assert.match(stopped.text, /^ one two three( word)+$/);
        const words = stopped.text.trim().split(" ").length;
        assert.deepEqual([stopped.finish, stopped.outputTokens], [LIMIT_WORDS[pair.caller], words]);
        await (
          await play.asked
        ).aborted;
        const { state, chargedNano, detail } = await scene.receipt(answer.requestId);
        assert.deepEqual(
          [state, chargedNano, detail["lossNano"]],
          ["stopped_by_balance", priceOf(pair, words), "0"],
        );
        const { charged, held, available } = await scene.money(customer.accountId);
        assert.deepEqual([charged, held], [chargedNano, 0n]);
        // The last step of a hold is 64 tokens at the upper price of a word; less than that is
        // left.
        assert.ok(available >= 0n && available < 250_000_000n, `${available} is left`);
      });
    }
  }
});

test("the books agree after all of this", () => scene.verifyBooks());
