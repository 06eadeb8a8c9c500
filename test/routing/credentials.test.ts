/**
 * Guarantee: the credentials of an upstream share the load, a refused one is passed over for the
 * next, and neither their values nor what the upstream says of them is ever seen (contract §4, §5;
 * hazards §221).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import type { Exchange, Handler } from "../support/scripted-upstream.ts";
import {
  answering,
  ask,
  checkAnswer,
  ENDPOINTS,
  FORMS,
  modelAsked,
  PRICE,
  PROTOCOLS,
  ROUBLES,
  routingCatalogue,
  type Protocol,
  type RoutePlan,
} from "./routing-scene.ts";

const VALUES = {
  KEY_ONE: "sk-one-0123456789abcdef0123",
  KEY_TWO: "sk-two-0123456789abcdef0123",
  KEY_THREE: "sk-three-0123456789abcdef01",
} as const;
type KeyName = keyof typeof VALUES;
const KEYS = Object.keys(VALUES) as KeyName[];
/** Of the upstream that has this credential alone. */
const PROTOCOL_OF: Readonly<Record<KeyName, Protocol>> = {
  KEY_ONE: "openai",
  KEY_TWO: "anthropic",
  KEY_THREE: "responses",
};
const OPERATORS_ACCOUNT = "acct_operators_own";
const REFUSALS = [401, 402, 403, 429] as const;

const MODELS: Readonly<Record<string, readonly RoutePlan[]>> = {
  ...Object.fromEntries(
    PROTOCOLS.map((protocol) => [`turns-${protocol}`, [{ protocol, keys: KEYS }]]),
  ),
  ...Object.fromEntries(
    REFUSALS.flatMap((status) =>
      FORMS.map((form) => [`refused-${status}-${form}`, [{ keys: KEYS }, {}]]),
    ),
  ),
  spent: [{ keys: KEYS }, {}],
  sole: [{ keys: ["KEY_ONE"] }],
  ...Object.fromEntries(
    KEYS.map((key) => [`own-${key}`, [{ keys: [key], protocol: PROTOCOL_OF[key] }]]),
  ),
  unset: [{ keys: ["KEY_NOBODY_SET", "KEY_TWO"] }],
};

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: routingCatalogue(MODELS), env: VALUES });
});
after(() => scene.close());

/** By which credential the upstream was called. */
function keyOf({ request: { headers } }: Exchange): KeyName {
  const value = headers["x-api-key"] ?? headers.authorization?.replace("Bearer ", "");
  const name = KEYS.find((key) => VALUES[key] === value);
  assert.ok(
    name !== undefined,
    "the upstream gets the value of one of its own credentials, and nothing else",
  );
  assert.equal(
    headers["x-api-key"] === undefined,
    headers.authorization !== undefined,
    "in one header only",
  );
  return name;
}

/**
 * Refuses these credentials with a status, in the words of a vendor that tells too much, and notes
 * all that were used.
 */
function choosy(
  used: KeyName[],
  refused: readonly KeyName[],
  status: number,
  protocol: Protocol = "openai",
): Handler {
  return (exchange) => {
    const key = keyOf(exchange);
    used.push(key);
    if (!refused.includes(key)) return answering(protocol)(exchange);
    exchange.json(status, {
      error: {
        message: `Incorrect API key provided: ${VALUES[key]}. You are ${OPERATORS_ACCOUNT}`,
        type: "e",
      },
    });
  };
}

test("customers of three upstreams at once: each upstream gets its own credential and no other's, every time", async () => {
  const customers = await Promise.all(KEYS.map(() => scene.customer({ roubles: "1000" })));
  const used = new Map(KEYS.map((key) => [`own-${key}-at-1`, new Map<KeyName, number>()]));
  const play = scene.play((exchange) => {
    const model = modelAsked(exchange.request);
    const counts = used.get(model);
    const key = keyOf(exchange);
    counts?.set(key, (counts.get(key) ?? 0) + 1);
    return answering(PROTOCOL_OF[key])(exchange);
  });
  const rounds = 40;
  await Promise.all(
    Array.from({ length: rounds * KEYS.length }, async (_, at) => {
      const key = KEYS[at % KEYS.length] ?? assert.fail();
      const secret =
        customers[Math.floor(at / KEYS.length) % customers.length]?.secret ?? assert.fail();
      // By other steps than the keys, so that every endpoint meets every upstream.
      const endpoint = ENDPOINTS[Math.floor(at / KEYS.length) % ENDPOINTS.length] ?? assert.fail();
      const asked = { endpoint, form: "streamed", model: `own-${key}`, user: play.user } as const;
      checkAnswer(await ask(scene, secret, asked), asked, key);
    }),
  );
  assert.deepEqual(used, new Map(KEYS.map((key) => [`own-${key}-at-1`, new Map([[key, rounds]])])));
});

for (const protocol of PROTOCOLS) {
  test(`three credentials of an ${protocol} upstream take turns`, async () => {
    const customer = await scene.customer();
    const used: KeyName[] = [];
    const play = scene.play(choosy(used, [], 200, protocol));
    for (let i = 0; i < 6; i++) {
      const asked = {
        endpoint: "chat.completions",
        form: "streamed",
        model: `turns-${protocol}`,
        user: play.user,
      } as const;
      checkAnswer(await ask(scene, customer.secret, asked), asked, protocol);
    }
    assert.deepEqual(used, [...KEYS, ...KEYS]);
  });
}

for (const [turn, status] of REFUSALS.entries()) {
  for (const [place, form] of FORMS.entries()) {
    const endpoint = ENDPOINTS[(turn + place) % ENDPOINTS.length] ?? assert.fail();

    test(`${endpoint}, ${form}: a credential that is answered ${status} is followed by the next of the same route, and passed over from then on`, async () => {
      const customer = await scene.customer({ roubles: ROUBLES[form] });
      const used: KeyName[] = [];
      const play = scene.play(choosy(used, ["KEY_ONE"], status));
      const asked = {
        endpoint,
        form,
        model: `refused-${status}-${form}`,
        user: play.user,
      } as const;
      const answer = await ask(scene, customer.secret, asked);
      checkAnswer(answer, asked, String(status));
      assert.deepEqual(used, ["KEY_ONE", "KEY_TWO"]);
      const { detail } = await scene.receipt(answer.requestId);
      const attempts = detail["attempts"] as Record<string, unknown>[];
      const route = { upstream: `${asked.model}-1`, model: `${asked.model}-at-1` };
      assert.deepEqual(
        attempts.map(({ upstream, model, outcome, status: reported }) => ({
          upstream,
          model,
          outcome,
          reported,
        })),
        [
          { ...route, outcome: "failed", reported: status },
          { ...route, outcome: "served", reported: 200 },
        ],
      );
      assert.equal((await scene.money(customer.accountId)).charged, PRICE);
      if (status === 429) return;
      // Half a minute is long enough for this.
      for (let i = 0; i < 4; i++)
        checkAnswer(await ask(scene, customer.secret, asked), asked, String(status));
      assert.ok(!used.slice(2).includes("KEY_ONE") && used.length === 6, used.join());
    });
  }
}

test("when a route's credentials are all refused the next route serves, and each was tried once", async () => {
  const customer = await scene.customer();
  const used: KeyName[] = [];
  const refuse = choosy(used, KEYS, 401);
  const play = scene.play([refuse, refuse, refuse, answering("openai")]);
  const asked = {
    endpoint: "chat.completions",
    form: "streamed",
    model: "spent",
    user: play.user,
  } as const;
  checkAnswer(await ask(scene, customer.secret, asked), asked, "spent");
  assert.deepEqual([used.toSorted(), play.requests.length], [KEYS.toSorted(), 4]);
});

test("a credential that is not set is as if it were not there", async () => {
  const customer = await scene.customer();
  const used: KeyName[] = [];
  const play = scene.play(choosy(used, [], 200));
  const asked = {
    endpoint: "chat.completions",
    form: "whole",
    model: "unset",
    user: play.user,
  } as const;
  for (let i = 0; i < 3; i++) {
    const answer = await ask(scene, customer.secret, asked);
    checkAnswer(answer, asked, "unset");
    assert.equal(
      ((await scene.receipt(answer.requestId)).detail["attempts"] as unknown[]).length,
      1,
    );
  }
  assert.deepEqual(used, ["KEY_TWO", "KEY_TWO", "KEY_TWO"]);
});

test("a sole credential that is refused is the operator's trouble: 502 without a word of it, and it is tried again", async () => {
  const customer = await scene.customer();
  const used: KeyName[] = [];
  for (const endpoint of ENDPOINTS) {
    const play = scene.play(choosy(used, ["KEY_ONE"], 401));
    const answer = await ask(scene, customer.secret, {
      endpoint,
      form: "whole",
      model: "sole",
      user: play.user,
    });
    assert.deepEqual([answer.status, play.requests.length], [502, 1]);
    assert.doesNotMatch(answer.body.toString(), /sk-one|acct_|Incorrect|KEY_ONE|sole-1/);
  }
  const play = scene.play(choosy(used, [], 200));
  const asked = {
    endpoint: "chat.completions",
    form: "whole",
    model: "sole",
    user: play.user,
  } as const;
  checkAnswer(await ask(scene, customer.secret, asked), asked, "mended");
});

test("the operator reads in the log which credential was refused, by its name, and nowhere its value", async () => {
  const line = await scene.gateway.logged(
    (each) => each["credential"] === "KEY_ONE" && each["upstream"] === "sole-1",
  );
  assert.deepEqual([line["level"], line["status"]], ["warn", 401]);
  for (const value of Object.values(VALUES)) assert.ok(!scene.gateway.output().includes(value));
});

test("the books agree after all of this", () => scene.verifyBooks());
