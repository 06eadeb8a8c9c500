/**
 * Guarantee: no more calls at once than the catalogue allows a route; what is full is passed over,
 * and when all are full the caller is told so without a call (contract §5).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { createGate } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import {
  answering,
  ask,
  checkAnswer,
  ENDPOINTS,
  FORMS,
  modelAsked,
  OVERLOADED_AT,
  ROUBLES,
  routingCatalogue,
  type Endpoint,
} from "./routing-scene.ts";

let scene: ChatScene;
before(async () => {
  const pairs = FORMS.map(
    (form) => [`narrow-${form}`, [{ maxConcurrent: 2 }, { maxConcurrent: 1 }]] as const,
  );
  scene = await openChatScene({
    catalogue: routingCatalogue({ ...Object.fromEntries(pairs), failing: [{ maxConcurrent: 1 }] }),
  });
});
after(() => scene.close());

for (const form of FORMS) {
  test(`${form}: two on the first route, one on the second, no more; a place is free again when its answer is over`, async () => {
    const model = `narrow-${form}`;
    const gate = createGate();
    const play = scene.play(async (exchange) => {
      await gate.wait;
      await answering("openai")(exchange);
    });
    // One account each: held money is not what this is about.
    const secrets = await Promise.all(
      Array.from(
        { length: 4 },
        async () => (await scene.customer({ roubles: ROUBLES[form] })).secret,
      ),
    );
    const send = (at: number, endpoint: Endpoint = "chat.completions") =>
      ask(scene, secrets[at] ?? "", { endpoint, form, model, user: play.user });
    const answers = [];
    for (const [at, endpoint] of ENDPOINTS.entries()) {
      answers.push(send(at, endpoint));
      await until(`call ${at + 1}`, () => Promise.resolve(play.requests.length === at + 1));
    }
    assert.deepEqual(play.requests.map(modelAsked), [
      `${model}-at-1`,
      `${model}-at-1`,
      `${model}-at-2`,
    ]);

    for (const endpoint of ENDPOINTS) {
      const refused = await send(3, endpoint);
      assert.deepEqual(
        [refused.status, refused.headers["retry-after"]],
        [OVERLOADED_AT[endpoint], "1"],
      );
      const { detail, chargedNano } = await scene.receipt(refused.requestId);
      const attempts = detail["attempts"] as Record<string, unknown>[];
      assert.deepEqual(
        attempts.map(({ upstream, outcome, reason }) => [upstream, outcome, reason]),
        [
          [`${model}-1`, "skipped", "every place is taken"],
          [`${model}-2`, "skipped", "every place is taken"],
        ],
      );
      assert.equal(chargedNano, 0n);
    }
    assert.equal(play.requests.length, 3, "a refusal calls nobody");

    gate.open();
    for (const [at, endpoint] of ENDPOINTS.entries())
      checkAnswer((await answers[at]) ?? assert.fail(), { endpoint, form }, form);
    const again = await until("a place is free", async () => {
      const answer = await send(3);
      return answer.status === 200 && answer;
    });
    checkAnswer(again, { endpoint: "chat.completions", form }, form);
    assert.equal(modelAsked(play.requests[3] ?? { json: () => ({}) }), `${model}-at-1`);
  });
}

test("a call that failed gives its place back", async () => {
  const { secret } = await scene.customer();
  const play = scene.play((exchange) => exchange.json(500, { error: { message: "out of order" } }));
  for (let i = 1; i <= 3; i++) {
    const answer = await ask(scene, secret, {
      endpoint: "chat.completions",
      form: "streamed",
      model: "failing",
      user: play.user,
    });
    assert.deepEqual([answer.status, play.requests.length], [502, i]);
  }
});
