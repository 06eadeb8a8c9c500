/**
 * Guarantee: what an operator takes out at one process is called by no process, a fresh one
 * included, until it is put back or its time is over; and customers are served by other routes.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openChatScene,
  type ChatCustomer,
  type ChatScene,
  type Play,
} from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import {
  answering,
  ask,
  ENDPOINTS,
  modelAsked,
  OVERLOADED_AT,
  routingCatalogue,
  type Endpoint,
  type Form,
} from "./routing-scene.ts";

let scene: ChatScene;
let other: Gateway;
let customer: ChatCustomer;
let operator: PanelPerson;
before(async () => {
  scene = await openChatScene({
    catalogue: routingCatalogue({ pair: [{}, {}], sole: [{}], passing: [{}, {}] }),
    env: { SESSION_SECRET: "s".repeat(40) },
  });
  // While there is one process, whose folder the mail is in.
  operator = await signUpAtPanel(scene.gateway, "The business");
  other = await scene.anotherGateway();
  await scene.db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    operator.memberId,
  ]);
  customer = await scene.customer({ roubles: "1000" });
});
after(() => scene.close());

const take = (upstream: string, upstreamModel: string | null, minutes = 60) =>
  operator.ask("POST", "operator/upstreams/take-out", { upstream, upstreamModel, minutes });
const putBack = (upstream: string, upstreamModel: string | null) =>
  operator.ask("POST", "operator/upstreams/put-back", { upstream, upstreamModel });

/** At that process, once. */
const askAt = (
  gateway: Gateway,
  model: string,
  play: Play,
  endpoint: Endpoint = "chat.completions",
  form: Form = "streamed",
) => ask({ gateway }, customer.secret, { endpoint, form, model, user: play.user });

/** Which upstream's model that process asks now; null: none. */
async function asked(gateway: Gateway, model: string): Promise<string | null> {
  const play = scene.play(answering("openai"));
  const { status } = await askAt(gateway, model, play);
  const [request] = play.requests;
  assert.equal(status, request === undefined ? 503 : 200);
  return request === undefined ? null : modelAsked(request);
}

/** What the error of a refusal is called: the body's type, the error's type and its code. */
const ERROR_AT: Readonly<Record<Endpoint, readonly (string | null)[]>> = {
  "chat.completions": [null, "overloaded_error", "overloaded"],
  messages: ["error", "overloaded_error", null],
  responses: [null, "overloaded_error", "overloaded"],
};

const everyProcess = (): readonly Gateway[] => [scene.gateway, other];

async function untilAsked(model: string, wanted: string | null): Promise<void> {
  for (const gateway of everyProcess())
    await until(
      `${wanted ?? "nobody"} to be asked`,
      async () => (await asked(gateway, model)) === wanted,
    );
}

test("a route that is taken out at one process is called by none; put back, it is called again", async () => {
  await untilAsked("pair", "pair-at-1");
  assert.equal((await take("pair-1", "pair-at-1")).status, 200);
  await untilAsked("pair", "pair-at-2");
  // From here on, at each of them.
  for (const gateway of everyProcess())
    for (let i = 0; i < 5; i++) assert.equal(await asked(gateway, "pair"), "pair-at-2");
  const play = scene.play(answering("openai"));
  const { requestId } = await askAt(other, "pair", play);
  const attempts = (await scene.receipt(requestId)).detail["attempts"] as Record<string, unknown>[];
  assert.deepEqual(
    attempts.map(({ upstream, outcome, reason }) => [upstream, outcome, reason ?? null]),
    [
      ["pair-1", "skipped", "an operator took it out"],
      ["pair-2", "served", null],
    ],
  );
  const fresh = await scene.anotherGateway();
  assert.equal(await asked(fresh, "pair"), "pair-at-2", "from its first request on");
  assert.equal((await putBack("pair-1", "pair-at-1")).status, 200);
  await untilAsked("pair", "pair-at-1");
});

test("where an upstream that is taken out was the only one, callers at every endpoint hear when to come again, and nothing is charged or held", async () => {
  assert.equal((await take("sole-1", null)).status, 200);
  await untilAsked("sole", null);
  const before = await scene.money(customer.accountId);
  const play = scene.play([]);
  for (const gateway of everyProcess())
    for (const endpoint of ENDPOINTS)
      for (const form of ["streamed", "whole"] as const) {
        const answer = await askAt(gateway, "sole", play, endpoint, form);
        const body = answer.body.toString();
        assert.equal(answer.status, OVERLOADED_AT[endpoint], body);
        assert.match(String(answer.headers["retry-after"]), /^([1-5]?\d|60)$/);
        assert.match(String(answer.headers["content-type"]), /^application\/json/);
        const { type, error } = JSON.parse(body) as {
          type?: string;
          error: Readonly<Record<string, unknown>>;
        };
        assert.deepEqual([type ?? null, error["type"], error["code"] ?? null], ERROR_AT[endpoint]);
        assert.doesNotMatch(
          body,
          /sole-1|sole-at-1|operator/,
          "whose routes they are is told nobody",
        );
      }
  assert.equal(play.requests.length, 0);
  const { charged, held, available } = await scene.money(customer.accountId);
  assert.deepEqual([charged, held, available], [before.charged, 0n, before.available]);
  assert.equal((await putBack("sole-1", null)).status, 200);
  await untilAsked("sole", "sole-at-1");
  await scene.verifyBooks();
});

test("it comes back by itself when its time is over", async () => {
  assert.equal((await take("passing-1", "passing-at-1", 1)).status, 200);
  await untilAsked("passing", "passing-at-2");
  await scene.db.query(
    "UPDATE operate.routes_out SET until = clock_timestamp() + interval '2 seconds' WHERE upstream = 'passing-1'",
  );
  await untilAsked("passing", "passing-at-1");
});

test("what the catalogue does not have cannot be taken out", async () => {
  for (const [upstream, model] of [
    ["nobody", null],
    ["pair-1", "sole-at-1"],
    ["pair-2", "pair-at-1"],
  ] as const)
    assert.equal((await take(upstream, model)).status, 404);
  assert.deepEqual(
    await scene.db.query("SELECT 1 FROM operate.routes_out WHERE upstream IN ('nobody', 'pair-2')"),
    [],
  );
});
