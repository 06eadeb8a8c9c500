/**
 * Guarantee: a route that keeps failing is left alone, without a call, until one probe finds that
 * it works; one that asks for a pause gets it; and callers are told when to come again
 * (contract §4, §5).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  openChatScene,
  type ChatCustomer,
  type ChatScene,
  type Play,
} from "../support/chat-scene.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { createGate, type Handler } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import {
  answering,
  ask,
  checkAnswer,
  ENDPOINTS,
  modelAsked,
  OVERLOADED_AT,
  PROTOCOLS,
  routingCatalogue,
  type Endpoint,
  type RoutePlan,
} from "./routing-scene.ts";

/** Each asks for a minute, in its own way. */
const PAUSES: readonly (readonly [
  name: string,
  status: number,
  headers: () => Record<string, string>,
])[] = [
  ["429 and retry-after in seconds", 429, () => ({ "retry-after": "60" })],
  ["429 and retry-after-ms", 429, () => ({ "retry-after-ms": "60000" })],
  [
    "503 and retry-after as a date",
    503,
    () => ({ "retry-after": new Date(Date.now() + 60_000).toUTCString() }),
  ],
  ["529 and retry-after in seconds", 529, () => ({ "retry-after": "60" })],
];

const MODELS: Readonly<Record<string, readonly RoutePlan[]>> = {
  ...Object.fromEntries(PROTOCOLS.map((protocol) => [`sole-${protocol}`, [{ protocol }]])),
  pair: [{}, { protocol: "anthropic" }],
  unknown: [{}, {}],
  limited: [{}],
  left: [{}],
  ...Object.fromEntries(PAUSES.map((_, index) => [`pausing-${index}`, [{}, {}]])),
};

let scene: ChatScene;
let customer: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue: routingCatalogue(MODELS) });
  customer = await scene.customer({ roubles: "1000" });
});
after(() => scene.close());

const failing: Handler = (exchange) => exchange.json(500, { error: { message: "out of order" } });

function askFor(
  model: string,
  play: Play,
  endpoint: Endpoint = "chat.completions",
): Promise<ChatAnswer> {
  return ask(scene, customer.secret, { endpoint, form: "streamed", model, user: play.user });
}

async function attemptsOf(answer: ChatAnswer): Promise<unknown[]> {
  const attempts = (await scene.receipt(answer.requestId)).detail["attempts"] as Record<
    string,
    unknown
  >[];
  return attempts.map(({ upstream, outcome, reason }) => [
    upstream,
    outcome,
    ...(outcome === "skipped" ? [reason] : []),
  ]);
}

async function metric(series: string): Promise<string | null> {
  const lines = (await (await fetch(`${scene.gateway.url}/metrics`)).text()).split("\n");
  return lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1) ?? null;
}

/** Fails until the gateway refuses to call; the twentieth failure opens the circuit. */
async function breakCircuit(model: string): Promise<void> {
  const play = scene.play(failing);
  for (let i = 0; i < 20; i++) assert.equal((await askFor(model, play)).status, 502);
  assert.equal(
    play.requests.length,
    20,
    "a sole route is called however often it fails, up to here",
  );
  await until("the circuit refuses", async () => (await askFor(model, play)).status === 503);
}

/** Asks until the upstream is called: that one request, which is not answered yet, is the probe. */
async function untilProbed(
  model: string,
  play: Play,
): Promise<{ readonly answer: Promise<ChatAnswer> }> {
  for (;;) {
    const answer = askFor(model, play);
    const first = await Promise.race([
      answer.then(({ status }) => status),
      play.asked.then(() => "asked" as const),
    ]);
    if (first === "asked") return { answer };
    assert.equal(first, 503);
    await sleep(50);
  }
}

for (const protocol of PROTOCOLS) {
  test(`a sole ${protocol} route that failed twenty times in a row is not called; one probe at a time heals it`, async () => {
    const model = `sole-${protocol}`;
    await breakCircuit(model);
    for (const endpoint of ENDPOINTS) {
      const uncalled = scene.play([]);
      const answer = await until("a refusal", async () => {
        const each = await askFor(model, uncalled, endpoint);
        return each.status === OVERLOADED_AT[endpoint] && each;
      });
      assert.equal(uncalled.requests.length, 0);
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d?$/);
      assert.match(answer.body.toString(), /overloaded_error/);
      assert.deepEqual(await attemptsOf(answer), [
        [`${model}-1`, "skipped", "its circuit is open"],
      ]);
    }
    const opened = await scene.gateway.logged(
      (line) => line["upstream"] === `${model}-1` && line["failures"] === 20,
    );
    assert.deepEqual(
      [opened["level"], opened["model"], opened["status"]],
      ["warn", `${model}-at-1`, 500],
    );
    const circuit = `tollgate_route_circuit{route="${model}-1/${model}-at-1"}`;
    await until("the gauge shows it open", async () => (await metric(circuit)) === "2");

    const gate = createGate();
    const play = scene.play(async (exchange) => {
      await gate.wait;
      await answering(protocol)(exchange);
    });
    const probe = await untilProbed(model, play);
    const meanwhile = await Promise.all([1, 2, 3].map(() => askFor(model, play)));
    assert.deepEqual(
      meanwhile.map(({ status }) => status),
      [503, 503, 503],
    );
    assert.equal(play.requests.length, 1, "the probe is alone");
    gate.open();
    const asked = { endpoint: "chat.completions", form: "streamed" } as const;
    checkAnswer(await probe.answer, asked, "the probe is an answer like any other");
    for (const answer of await Promise.all([1, 2, 3].map(() => askFor(model, play))))
      checkAnswer(answer, asked, "healed");
    const closed = await scene.gateway.logged(
      (line) => line["upstream"] === `${model}-1` && line.msg === "a route works again",
    );
    assert.equal(closed["level"], "info");
    assert.equal(await metric(circuit), "0");
  });
}

test("a model with another route goes on without a failure; when both are open it is refused", async () => {
  const play = scene.play((exchange) =>
    modelAsked(exchange.request) === "pair-at-1"
      ? failing(exchange)
      : answering("anthropic")(exchange),
  );
  for (let i = 0; i < 10; i++) {
    const answer = await askFor("pair", play);
    checkAnswer(answer, { endpoint: "chat.completions", form: "streamed" }, `request ${i}`);
  }
  const calls = play.requests.map(modelAsked);
  // Three failures; a probe may have come by since.
  assert.equal(calls.filter((model) => model === "pair-at-2").length, 10);
  assert.ok(calls.filter((model) => model === "pair-at-1").length < 10, calls.join());
  assert.equal(
    await metric('tollgate_upstream_attempts_total{upstream="pair-1",outcome="skipped"}').then(
      Number,
    ),
    20 - calls.length,
  );

  const broken = scene.play(failing);
  const refused = await until("both refuse", async () => {
    const answer = await askFor("pair", broken);
    return answer.status === 503 && answer;
  });
  assert.deepEqual(await attemptsOf(refused), [
    ["pair-1", "skipped", "its circuit is open"],
    ["pair-2", "skipped", "its circuit is open"],
  ]);
});

test("a route whose upstream does not know the model rests at once, and serves again as the last resort", async () => {
  const play = scene.play([
    (exchange) => exchange.json(404, { error: { message: "no such model" } }),
    answering("openai"),
    answering("openai"),
    (exchange) => exchange.json(500, {}),
    answering("openai"),
  ]);
  const asked = { endpoint: "chat.completions", form: "streamed" } as const;
  checkAnswer(await askFor("unknown", play), asked, "the second route");
  const passed = await askFor("unknown", play);
  checkAnswer(passed, asked, "the second route at once");
  assert.deepEqual(await attemptsOf(passed), [
    ["unknown-1", "skipped", "it rests after failures"],
    ["unknown-2", "served"],
  ]);
  const last = await askFor("unknown", play);
  checkAnswer(last, asked, "the first route as the last resort");
  assert.deepEqual(await attemptsOf(last), [
    ["unknown-1", "skipped", "it rests after failures"],
    ["unknown-2", "failed"],
    ["unknown-1", "served"],
  ]);
});

for (const [index, [name, status, headers]] of PAUSES.entries()) {
  test(`an upstream that answers ${name} is left alone for so long while there is another route`, async () => {
    const model = `pausing-${index}`;
    const play = scene.play((exchange) =>
      modelAsked(exchange.request) === `${model}-at-1`
        ? exchange.json(status, { error: { message: "wait" } }, headers())
        : answering("openai")(exchange),
    );
    for (let i = 0; i < 5; i++)
      checkAnswer(
        await askFor(model, play),
        { endpoint: "chat.completions", form: "streamed" },
        `request ${i}`,
      );
    assert.deepEqual(play.requests.map(modelAsked), [
      `${model}-at-1`,
      ...Array<string>(5).fill(`${model}-at-2`),
    ]);
  });
}

for (const endpoint of ENDPOINTS) {
  test(`${endpoint}: where no route is left the caller hears for how long the upstream wants to be left alone, and the next request tries it all the same`, async () => {
    const play = scene.play((exchange) =>
      exchange.json(429, { error: { message: "wait" } }, { "retry-after": "7" }),
    );
    for (let i = 1; i <= 2; i++) {
      const answer = await askFor("limited", play, endpoint);
      assert.deepEqual(
        [answer.status, answer.headers["retry-after"], play.requests.length],
        [502, "7", i],
      );
    }
  });
}

test("callers who go away are no mark against a route, however many", async () => {
  for (let i = 0; i < 25; i++) {
    const play = scene.play((exchange) => exchange.hang());
    const body = {
      model: "left",
      messages: [{ role: "user", content: "Count" }],
      user: play.user,
      stream: true,
    };
    const exchange = postChat(scene.gateway.url, customer.secret, body);
    const request = await Promise.race([
      play.asked,
      exchange.answer.then(({ status }) => assert.fail(`answered ${status} without a call`)),
    ]);
    exchange.leave();
    await request.aborted;
  }
  const play = scene.play(answering("openai"));
  checkAnswer(
    await askFor("left", play),
    { endpoint: "chat.completions", form: "streamed" },
    "the next caller",
  );
  assert.equal(await metric('tollgate_route_circuit{route="left-1/left-at-1"}'), "0");
});

test("the books agree after all of this", () => scene.verifyBooks());
