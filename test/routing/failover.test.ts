/**
 * Guarantee: while nothing of an answer has reached the client the next route takes over, whatever
 * protocol it speaks; one answer comes, one is charged, every try is on the receipt
 * (hazards §6, §8, §42).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createPriceHistory,
  type PriceHistory,
} from "../../src/business/requests/price-history.ts";
import { readAnyRequest } from "../../src/business/requests/read-request.ts";
import { parseRequestId } from "../../src/kernel/ids.ts";
import {
  openChatScene,
  standardPrice,
  UPSTREAM_CREDENTIAL,
  type ChatScene,
} from "../support/chat-scene.ts";
import { pairAnswer } from "../support/pair-answers.ts";
import { countedPrompt, ERROR_EVENTS, eventsOf } from "../support/protocol-pairs.ts";
import type { Handler } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";
import {
  answering,
  ask,
  CALLER_AT,
  checkAnswer,
  ENDPOINTS,
  FORMS,
  modelAsked,
  PRICE,
  PROTOCOLS,
  ROUBLES,
  routingCatalogue,
} from "./routing-scene.ts";
import type { Endpoint, Form, Protocol, RoutePlan } from "./routing-scene.ts";
import { booksOf } from "../support/books-of.ts";

/** What no caller may ever read. */
const OPERATORS_ACCOUNT = "org-operators-own";
const SECRETS = [UPSTREAM_CREDENTIAL, OPERATORS_ACCOUNT];

/** What a first route may do before its first word, and what its try is called on the receipt. */
interface Failure {
  readonly name: string;
  readonly first: Handler;
  /** Of the try on the receipt. */
  readonly status: number | null;
  /** Where the upstream was asked for a whole answer; as `status` by default. */
  readonly statusOfWhole?: null;
  /** Nothing listens there, so `first` is never asked. */
  readonly dead?: true;
}

const refusing =
  (status: number): Handler =>
  (exchange) =>
    exchange.json(status, {
      error: {
        message: `Key ${UPSTREAM_CREDENTIAL} of ${OPERATORS_ACCOUNT} may not`,
        type: "some_error",
      },
    });

const sending =
  (parts: readonly (Buffer | string)[], contentType = "text/event-stream"): Handler =>
  async (exchange) => {
    exchange.head(200, { "content-type": contentType });
    await exchange.sendAll(parts);
    exchange.end();
  };

/** The events of a stream that say what is to come, and nothing of it. */
const ANNOUNCEMENTS: Readonly<Record<Protocol, number>> = { openai: 1, anthropic: 2, responses: 4 };

/** A stream as far as the announcement of what is to come. */
function announced(protocol: Protocol): readonly Buffer[] {
  return eventsBy(protocol).slice(0, ANNOUNCEMENTS[protocol]);
}

/** A stream that tells nothing of its usage before its end, but for what its first event has to. */
function eventsBy(protocol: Protocol): readonly Buffer[] {
  const answer = { pieces: [" one", " two", " three"] };
  const tokens = { input: 17, output: 1 };
  return pairAnswer(protocol, protocol === "anthropic" ? { ...answer, tokens } : answer).events;
}

function errorEvent(protocol: Protocol): Buffer {
  const error = { type: "overloaded_error", message: `overloaded: ${OPERATORS_ACCOUNT}` };
  switch (protocol) {
    case "openai":
      return sseEvent({ error });
    case "anthropic":
      return sseEvent({ type: "error", error }, "error");
    case "responses": {
      const failed = { code: "server_error", message: error.message };
      return sseEvent(
        { type: "response.failed", response: { status: "failed", error: failed } },
        "response.failed",
      );
    }
  }
}

/** Of the try of a route that says so in its stream. */
const ERROR_STATUSES: Readonly<Record<Protocol, number>> = {
  openai: 503,
  anthropic: 529,
  responses: 500,
};

function failuresOf(protocol: Protocol): Failure[] {
  return [
    ...[401, 402, 403, 404, 408, 429, 500, 502, 503, 529].map((status) => ({
      name: `answers ${status}`,
      first: refusing(status),
      status,
    })),
    {
      name: "is an address where nothing listens",
      first: () => undefined,
      status: null,
      dead: true,
    },
    { name: "is silent", first: (exchange) => exchange.hang(), status: null },
    {
      name: "closes the connection before it answers",
      first: (exchange) => exchange.destroy(),
      status: null,
    },
    {
      name: "resets the connection before it answers",
      first: (exchange) => exchange.reset(),
      status: null,
    },
    {
      name: "answers what is not HTTP",
      first: async (exchange) => void (await exchange.raw("HELLO\r\n\r\n")),
      status: null,
    },
    {
      name: "answers with a page under status 200",
      first: sending(["<html>Login</html>"], "text/html"),
      status: 200,
      statusOfWhole: null,
    },
    {
      name: "answers with an error under status 200",
      first: (exchange) => exchange.json(200, { error: { message: "no capacity", code: 503 } }),
      status: 503,
    },
    {
      name: "answers with an error as JSON that calls itself a stream",
      first: sending(['{"error":{"message":"no capacity"}}']),
      // The beginning of its body says that it is none.
      status: 200,
      statusOfWhole: null,
    },
    { name: "answers nothing under status 200", first: sending([]), status: null },
    {
      name: "streams something that is not JSON",
      first: sending(["data: {oops\n\n"]),
      status: null,
    },
    {
      name: "begins its stream with an error",
      first: sending([": wait\n\n", ...announced(protocol), errorEvent(protocol)]),
      status: ERROR_STATUSES[protocol],
      statusOfWhole: null,
    },
    {
      name: "breaks off after it announced itself and before the first word",
      first: async (exchange) => {
        await exchange.sendAll(announced(protocol));
        exchange.destroy();
      },
      status: null,
    },
    {
      name: "falls silent after it announced itself",
      first: async (exchange) => {
        await exchange.sendAll(announced(protocol));
        await exchange.hang();
      },
      status: null,
    },
  ];
}

interface Case {
  readonly model: string;
  readonly form: Form;
  readonly endpoint: Endpoint;
  readonly first: Protocol;
  readonly second: Protocol;
  readonly failure: Failure;
}

/**
 * Every endpoint over every first route; the second is another for each, so that every two of the
 * three meet, which 9 cells do of the 27.
 */
const CASES: readonly Case[] = FORMS.flatMap((form) =>
  ENDPOINTS.flatMap((endpoint, row) =>
    PROTOCOLS.flatMap((first, column) => {
      const second = PROTOCOLS[(row + column) % PROTOCOLS.length] ?? assert.fail();
      return failuresOf(first).map((failure) => ({ form, endpoint, first, second, failure }));
    }),
  ),
).map((each, index) => ({ ...each, model: `case-${index}` }));

/**
 * Routes in the order of the catalogue are in the wrong order, so that only `order` can put them
 * right.
 */
function plansOf({ first, second, failure }: Case): RoutePlan[] {
  return [
    { protocol: second, order: 2, cost: { input: "30", output: "60" } },
    { protocol: first, order: 1, impatient: true, dead: failure.dead === true },
  ];
}

const FAILING: Readonly<Record<string, readonly RoutePlan[]>> = Object.fromEntries(
  FORMS.flatMap((form) =>
    ENDPOINTS.map((endpoint, at) => {
      const [first, second] = [...PROTOCOLS.slice(at), ...PROTOCOLS];
      const plans = [first, second].flatMap((protocol) =>
        protocol === undefined ? [] : [{ protocol }],
      );
      return [`failing-${form}-${endpoint}`, plans] as const;
    }),
  ),
);
const BREAKING: Readonly<Record<string, readonly RoutePlan[]>> = Object.fromEntries(
  ENDPOINTS.flatMap((endpoint) =>
    PROTOCOLS.map((protocol) => [`breaking-${endpoint}-${protocol}`, [{ protocol }, {}]] as const),
  ),
);

/** What has no word in the protocol of a route, and has one in its caller's own. */
const UNSAYABLE: Readonly<
  Record<
    Endpoint,
    {
      readonly by: Protocol;
      readonly own: Protocol;
      readonly more: Readonly<Record<string, unknown>>;
      readonly param: string;
    }
  >
> = {
  "chat.completions": { by: "anthropic", own: "openai", more: { n: 2 }, param: "n" },
  messages: { by: "responses", own: "anthropic", more: { stop_sequences: ["x"] }, param: "stop" },
  responses: {
    by: "openai",
    own: "responses",
    more: { input: [{ type: "function_call_output", call_id: "c1", output: "no call" }] },
    param: "input[0]",
  },
};
const UNSAYABLE_MODELS: Readonly<Record<string, readonly RoutePlan[]>> = Object.fromEntries(
  ENDPOINTS.flatMap((endpoint) => {
    const { by, own } = UNSAYABLE[endpoint];
    return [
      [`unsayable-at-first-${endpoint}`, [{ protocol: by }, { protocol: own }]],
      [`unsayable-then-broken-${endpoint}`, [{ protocol: by }, { protocol: own }]],
      [`unsayable-everywhere-${endpoint}`, [{ protocol: by }, { protocol: by }]],
    ] as const;
  }),
);

let scene: ChatScene;
/**
 * One for all cases: reading a catalogue of hundreds of models would keep the upstreams, which live
 * in this process, from answering in time.
 */
let prices: PriceHistory;
before(async () => {
  const models = {
    ...Object.fromEntries(CASES.map((each) => [each.model, plansOf(each)])),
    ...FAILING,
    ...BREAKING,
    ...UNSAYABLE_MODELS,
  };
  scene = await openChatScene({ catalogue: routingCatalogue(models) });
  prices = createPriceHistory(scene.db, {});
  assert.ok((await prices.find(1)) !== null);
});
after(() => scene.close());

async function checkCase(each: Case): Promise<void> {
  const { model, form, endpoint, first, second, failure } = each;
  const what = `${endpoint}, ${form}, ${first} then ${second}`;
  const customer = await scene.customer({ roubles: ROUBLES[form] });
  const play = scene.play(
    failure.dead === true ? [answering(second)] : [failure.first, answering(second)],
  );
  const answer = await ask(scene, customer.secret, { endpoint, form, model, user: play.user });
  checkAnswer(answer, each, what);
  const called = failure.dead === true ? [`${model}-at-1`] : [`${model}-at-2`, `${model}-at-1`];
  assert.deepEqual(play.requests.map(modelAsked), called, what);
  assert.equal((await scene.money(customer.accountId)).charged, PRICE, `${what}: paid once`);

  const uuid = parseRequestId(answer.requestId);
  assert.ok(uuid !== null);
  await scene.receipt(answer.requestId);
  const seen = await readAnyRequest(booksOf(scene.db), prices, uuid);
  assert.deepEqual(
    seen?.attempts.map(({ upstream, upstreamModel, outcome, status }) => [
      upstream,
      upstreamModel,
      outcome,
      status,
    ]),
    [
      [
        `${model}-2`,
        `${model}-at-2`,
        "failed",
        form === "whole" && failure.statusOfWhole !== undefined
          ? failure.statusOfWhole
          : failure.status,
      ],
      [`${model}-1`, `${model}-at-1`, "delivered", 200],
    ],
    what,
  );
  assert.ok((seen?.attempts[0]?.reason ?? "").length > 3, `${what}: the operator reads why`);
  assert.equal(
    seen?.upstreamCost,
    "0.00105",
    `${what}: 17 × 30 + 9 × 60 per million is the cost of the route that served`,
  );

  const owners = await fetch(`${scene.gateway.url}/v1/requests/${answer.requestId}`, {
    headers: { "x-api-key": customer.secret },
  });
  const receipt = await owners.text();
  const attempts = (JSON.parse(receipt) as { attempts: Record<string, unknown>[] }).attempts;
  assert.deepEqual(
    attempts.map((attempt) => Object.keys(attempt).toSorted().join()),
    Array(2).fill("durationMs,number,outcome,status"),
    what,
  );
  for (const secret of SECRETS)
    assert.ok(
      !`${answer.body.toString()}${receipt}`.includes(secret),
      `${what}: nothing of the operator's is shown`,
    );
  assert.ok(
    !JSON.stringify(seen).includes(UPSTREAM_CREDENTIAL),
    `${what}: nor a credential to the operator`,
  );
}

for (const { name } of failuresOf("openai")) {
  for (const form of FORMS) {
    test(`${form}: a first route that ${name} is followed by the second`, async () => {
      const cases = CASES.filter((each) => each.form === form && each.failure.name === name);
      assert.equal(cases.length, 9);
      await Promise.all(cases.map(checkCase));
    });
  }
}

for (const form of FORMS) {
  for (const endpoint of ENDPOINTS) {
    const model = `failing-${form}-${endpoint}`;

    test(`${endpoint}, ${form}: the caller's own mistake is not tried again elsewhere`, async () => {
      const customer = await scene.customer({ roubles: ROUBLES[form] });
      const play = scene.play([
        (exchange) =>
          exchange.json(400, {
            error: { message: "there are too many words", type: "invalid_request_error" },
          }),
      ]);
      const answer = await ask(scene, customer.secret, { endpoint, form, model, user: play.user });
      assert.deepEqual([answer.status, play.requests.length], [400, 1]);
      assert.match(answer.body.toString(), /there are too many words/);
    });

    test(`${endpoint}, ${form}: when every route fails, that is told without a word of theirs, and nothing is charged`, async () => {
      const customer = await scene.customer({ roubles: ROUBLES[form] });
      const play = scene.play([refusing(500), refusing(401)]);
      const answer = await ask(scene, customer.secret, { endpoint, form, model, user: play.user });
      assert.deepEqual([answer.status, play.requests.length], [502, 2]);
      for (const secret of SECRETS) assert.ok(!answer.body.toString().includes(secret));
      const receipt = await scene.receipt(answer.requestId);
      assert.deepEqual(
        [receipt.state, receipt.chargedNano, (receipt.detail["attempts"] as unknown[]).length],
        ["failed", 0n, 2],
      );
      assert.deepEqual(
        [(await scene.money(customer.accountId)).held, receipt.detail["upstreamCostNano"]],
        [0n, null],
      );
    });
  }
}

for (const endpoint of ENDPOINTS) {
  for (const protocol of PROTOCOLS) {
    test(`${endpoint}: after the first word of an ${protocol} stream there is no second route; it breaks off and its words are charged`, async () => {
      const customer = await scene.customer();
      const play = scene.play([
        async (exchange) => {
          await exchange.sendAll(eventsBy(protocol).slice(0, ANNOUNCEMENTS[protocol] + 2));
          exchange.destroy();
        },
      ]);
      const answer = await ask(scene, customer.secret, {
        endpoint,
        form: "streamed",
        model: `breaking-${endpoint}-${protocol}`,
        user: play.user,
      });
      assert.deepEqual([answer.status, answer.broken, play.requests.length], [200, true, 1]);
      const events = eventsOf(answer.body);
      assert.match(answer.body.toString(), /one.*two/s);
      assert.match(events.at(-1) ?? "", ERROR_EVENTS[CALLER_AT[endpoint]]);
      const { chargedNano, state } = await scene.receipt(answer.requestId);
      assert.equal(state, "interrupted");
      // What a broken stream said of its prompt counts; where it said nothing the prompt is counted
      // here.
      const input =
        protocol === "anthropic" ? 17 : countedPrompt(CALLER_AT[endpoint], "Count to two hundred");
      assert.equal(chargedNano, standardPrice({ input, output: 2 }));
    });
  }
}

for (const endpoint of ENDPOINTS) {
  test(`${endpoint}: a request that one route's protocol has no word for is served by the next; only where no route has one the caller hears of it`, async () => {
    const customer = await scene.customer();
    const { own, more, param } = UNSAYABLE[endpoint];
    const send = async (name: string, handlers: Handler[]) => {
      const model = `${name}-${endpoint}`;
      const play = scene.play(handlers);
      const asked = { endpoint, form: "streamed", model, user: play.user, more } as const;
      const answer = await ask(scene, customer.secret, asked);
      const attempts = (await scene.receipt(answer.requestId)).detail["attempts"] as Record<
        string,
        unknown
      >[];
      return {
        answer,
        called: play.requests.map(modelAsked),
        outcomes: attempts.map(({ outcome, status }) => [outcome, status]),
      };
    };
    const served = await send("unsayable-at-first", [answering(own)]);
    checkAnswer(served.answer, { endpoint, form: "streamed" }, "the second route");
    assert.deepEqual(
      served.called,
      [`unsayable-at-first-${endpoint}-at-2`],
      "nobody is called with what cannot be said",
    );
    assert.deepEqual(served.outcomes, [
      ["failed", null],
      ["served", 200],
    ]);
    const broken = await send("unsayable-then-broken", [refusing(500)]);
    assert.equal(
      broken.answer.status,
      502,
      "the upstream's trouble, which a retry may cure, is told and not the other route's grammar",
    );
    const refused = await send("unsayable-everywhere", []);
    assert.equal(refused.answer.status, 400);
    const { error } = JSON.parse(refused.answer.body.toString()) as {
      error: { param?: string; message: string };
    };
    assert.ok((error.param ?? error.message).includes(param), refused.answer.body.toString());
  });
}

test("the books agree after all of this", () => scene.verifyBooks());
