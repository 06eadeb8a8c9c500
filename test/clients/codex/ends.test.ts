/**
 * Guarantee: however real Codex is stopped, by its user, by the end of the balance, without money or
 * without a key, it asks no more often than it must, and nothing is charged but what was delivered.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { countTokens } from "../../../sandbox/count-tokens.ts";
import { deleteKey } from "../../../src/business/keys/delete-key.ts";
import { standardPrice } from "../../support/chat-scene.ts";
import { PROTOCOLS, type Protocol } from "../../support/protocol-pairs.ts";
import { codexBinary } from "./codex-binary.ts";
import { openCodexScene, scripted, type CodexScene, type CodexUser } from "./codex-scene.ts";

const binary = codexBinary();
const ANSWERED = scripted([{ text: "Готово." }]);
const TEXT = "раз два три четыре пять шесть семь восемь девять";
/** What of it each upstream has said after so many events, without thinking before it. */
const EVENTS = 8;
const DELIVERED: Readonly<Record<Protocol, string>> = {
  openai: "раз два три четыре пять шесть семь",
  anthropic: "раз два три четыре пять",
  responses: "раз два три четыре",
};

suite("codex is stopped", { skip: binary === null && "codex is not installed" }, () => {
  let scene: CodexScene;
  before(async () => {
    scene = await openCodexScene(binary ?? "");
  });
  after(() => scene.close());

  const statuses = ({ watched }: CodexUser): readonly number[] =>
    watched.calls.map(({ status }) => status);
  const money = ({ customer }: CodexUser) => scene.chat.money(customer.accountId);

  for (const upstream of PROTOCOLS) {
    test(`by its user, in the middle of a stream over an ${upstream} upstream: the upstream is let go, and what was delivered is charged`, async () => {
      await using user = await scene.user(upstream);
      const codex = user.start({
        prompt: `${scripted([{ text: TEXT }])} [[sandbox: silentAt=${EVENTS}]]`,
        settings: ['model_reasoning_effort = "none"'],
      });
      await user.watched.answered(DELIVERED[upstream].split(" ").at(-1) ?? "");
      codex.signal("SIGINT");
      await codex.ended;
      const [asked, ...others] = user.asked();
      assert.equal(await asked?.ended, "client-gone");
      assert.equal(others.length, 0);
      const [receipt] = await scene.chat.receipts(user.customer.accountId, 1);
      assert.equal(receipt?.state, "client_gone");
      const { charged, held } = await money(user);
      assert.equal(held, 0n);
      const counted = Number((await asked?.figures)?.prompt);
      assert.ok(counted > 5_000, "all that Codex sends before the question");
      const output = countTokens(DELIVERED[upstream]);
      // An upstream that has not counted the prompt yet: our count is a little above it.
      const most = upstream === "anthropic" ? counted : Math.ceil(counted * 1.1);
      assert.ok(charged >= standardPrice({ input: counted, output }), `${charged}: ${counted}`);
      assert.ok(charged <= standardPrice({ input: most, output }), `${charged}: ${counted}`);
    });

    test(`by the end of the balance in the middle of a stream over an ${upstream} upstream: it is told so once, and does not ask again`, async () => {
      await using user = await scene.user(upstream, "4");
      const { events, output } = await user.start({ prompt: "[[sandbox: tokens=5000]] пиши" })
        .ended;
      assert.deepEqual(statuses(user), [200], output);
      const { answer = "" } = user.watched.calls[0] ?? {};
      assert.match(answer, /event: response\.incomplete\n[^\n]*"reason":"max_output_tokens"/);
      const [receipt] = await scene.chat.receipts(user.customer.accountId, 1);
      assert.equal(receipt?.state, "stopped_by_balance");
      const { charged, held, available } = await money(user);
      assert.deepEqual([held, charged + available], [0n, 4_000_000_000n]);
      assert.ok(available >= 0n && available < standardPrice({ input: 0, output: 1000 }), output);
      assert.ok(events.some(({ type }) => type === "turn.failed" || type === "turn.completed"));
    });
  }

  test("without money: every try is a 402 that costs nothing, and no upstream is asked", async () => {
    await using user = await scene.user("responses", "0");
    const { code, output } = await user.start({ prompt: ANSWERED }).ended;
    assert.notEqual(code, 0);
    assert.match(output, /402|balance/);
    const tries = statuses(user);
    assert.ok(tries.length > 0 && tries.length <= 6, `${tries.length} tries`);
    assert.ok(tries.every((status) => status === 402));
    assert.equal(user.asked().length, 0);
    assert.deepEqual(await money(user), { charged: 0n, held: 0n, available: 0n });
  });

  test("by a key that is deleted between two questions: nothing more is asked of the upstream, or charged", async () => {
    await using user = await scene.user("openai");
    const first = await user.start({ prompt: ANSWERED }).ended;
    assert.equal(first.code, 0, first.output);
    await user.paidReceipts();
    const before = await money(user);
    await deleteKey(scene.chat.db, { hash: user.customer.key.hash });
    const second = await user.start({ prompt: ANSWERED, resumes: true }).ended;
    assert.notEqual(second.code, 0);
    const [answered, ...refused] = statuses(user);
    assert.equal(answered, 200);
    assert.ok(refused.length > 0 && refused.every((status) => status === 401), String(refused));
    assert.equal(user.asked().length, 1);
    assert.deepEqual(await money(user), before);
  });

  test("the books agree after all of this", () => scene.chat.verifyBooks());
});
