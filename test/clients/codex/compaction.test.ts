/**
 * Guarantee: real Codex sums its conversation up when it grows too long, by itself or at the
 * gateway, over an upstream of any protocol, each time by one ordinary request that is charged as
 * such; and goes on from the summary.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { PROTOCOLS, type Protocol } from "../../support/protocol-pairs.ts";
import { codexBinary } from "./codex-binary.ts";
import { openCodexScene, scripted, type CodexScene, type CodexUser } from "./codex-scene.ts";
import type { WatchedCall } from "./watched-gateway.ts";

const binary = codexBinary();
/** Less than what Codex sends before its first question. */
const settings = ["model_auto_compact_token_limit = 5000"];
const ANSWERS = ["Небо синее.", "Готово."];
/** As the sandbox begins what it says to a wish that has no script: here, the summary. */
const SUMMARY = "Hello! I am echo-large";

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly encrypted_content?: string;
}

const inputOf = ({ body }: WatchedCall): readonly Item[] => body["input"] as Item[];

/** The items of the response in the last event of a stream. */
function outputOf({ answer }: WatchedCall): readonly Item[] {
  const last = /^event: response\.completed\ndata: (.*)$/m.exec(answer)?.[1] ?? assert.fail(answer);
  return (JSON.parse(last) as { response: { output: Item[] } }).response.output;
}

/** Two questions, between which the conversation is too long. */
async function twoQuestions(
  user: CodexUser,
  provider: string,
): Promise<readonly [WatchedCall, WatchedCall, WatchedCall]> {
  for (const [at, text] of ANSWERS.entries()) {
    const question = { prompt: scripted([{ text }]), settings, provider, resumes: at > 0 };
    const { code, events, output } = await user.start(question).ended;
    assert.equal(code, 0, output);
    const message = events.findLast(({ item }) => item?.type === "agent_message");
    assert.equal(message?.item?.text, text, output);
  }
  const [first, summed, last, ...others] = user.watched.calls;
  assert.ok(first !== undefined && summed !== undefined && last !== undefined);
  assert.equal(others.length, 0, "a question, a summary, a question");
  for (const { path, status } of user.watched.calls)
    assert.deepEqual([path, status], ["/v1/responses", 200]);
  return [first, summed, last];
}

/** What the upstream read before the last question. */
async function checkUpstream(user: CodexUser, upstream: Protocol): Promise<void> {
  const asked = user.asked().map(({ body }) => JSON.stringify(body));
  assert.equal(asked.length, 3);
  assert.ok(asked[1]?.includes(ANSWERS[0] ?? ""), "all that was said is summed up");
  assert.ok(asked[2]?.includes(SUMMARY), `an ${upstream} upstream reads the summary`);
  assert.ok(!asked[2]?.includes(ANSWERS[0] ?? ""), "and no longer what it sums up");
}

suite("codex sums up", { skip: binary === null && "codex is not installed" }, () => {
  let scene: CodexScene;
  before(async () => {
    scene = await openCodexScene(binary ?? "");
  });
  after(() => scene.close());

  for (const upstream of PROTOCOLS) {
    test(`by itself, over an ${upstream} upstream`, async () => {
      await using user = await scene.user(upstream);
      const [, summed, last] = await twoQuestions(user, "Tollgate");
      assert.deepEqual(summed.body["tools"], []);
      assert.ok(JSON.stringify(inputOf(last)).includes(SUMMARY));
      await checkUpstream(user, upstream);
      const receipts = await user.paidReceipts();
      assert.ok(receipts.every(({ state }) => state === "completed"));
    });

    test(`at the gateway, over an ${upstream} upstream`, async () => {
      await using user = await scene.user(upstream);
      // By this name it takes the provider for one that can.
      const [, summed, last] = await twoQuestions(user, "OpenAI");
      assert.equal(inputOf(summed).at(-1)?.type, "compaction_trigger");
      const output = outputOf(summed);
      assert.deepEqual(
        output.map(({ type }) => type),
        ["compaction"],
        "the one item, and no other beside it",
      );
      assert.ok(!summed.answer.includes(SUMMARY), "sealed");
      const brought = inputOf(last).find(({ type }) => type === "compaction");
      assert.equal(brought?.encrypted_content, output[0]?.encrypted_content);
      await checkUpstream(user, upstream);
      const receipts = await user.paidReceipts();
      assert.deepEqual(
        receipts.map(({ detail }) => detail["conversation"]),
        [undefined, { compaction: true }, undefined],
      );
    });
  }

  test("the books agree after all of this", () => scene.chat.verifyBooks());
});
