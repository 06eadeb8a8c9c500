/**
 * Guarantee: whatever throws at whatever step of a chat request, before or after it did its work,
 * the request ends, its hold ends exactly once (hazards §14), and its place is free.
 */
// Runs beside the others: it waits 15 seconds for a hold to be released.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { createLoadShedder } from "../../src/serving/admission/load-shedder.ts";
import type { ChatReply } from "../../src/serving/chat/chat-call.ts";
import { SILENT_TRACER } from "../../src/serving/chat/chat-trace.ts";
import { openAiDialect } from "../../src/protocol/openai/dialect.ts";
import { openAiUpstream } from "../../src/protocol/openai/upstream.ts";
import { createCircuitBreakers } from "../../src/serving/routing/circuit-breakers.ts";
import { createConcurrencyLimiter } from "../../src/serving/routing/concurrency-limiter.ts";
import { createChatService, type ChatServiceDeps } from "../../src/serving/chat/serve-chat.ts";
import { createRateGate, type RateGate } from "../../src/serving/admission/rate-gate.ts";
import { createIdempotency, type Idempotency } from "../../src/serving/admission/idempotency.ts";
import {
  createSettlePipeline,
  type SettlePipeline,
} from "../../src/serving/money/settle-pipeline.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { Fault } from "../../src/kernel/faults.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { NO_RATE_LIMITS } from "../../src/kernel/rate-limits.ts";
import { registerOwner } from "../../src/ledger/owners.store.ts";
import { createRateLimiter, type RateLimiter } from "../../src/limits/rate-limiter.ts";
import { createOutgoing, type Outgoing } from "../../src/net/outgoing.ts";
import { countTexts, countTokens } from "../../src/protocol/count-tokens.ts";
import { openAiChatRequest } from "../../src/upstreams/openai-compatible.ts";
import { endings, liveHolds } from "./books.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import {
  startScriptedUpstream,
  type Handler,
  type ScriptedUpstream,
} from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";
import { until } from "../support/until.ts";
import { createReportedCaches } from "../../src/serving/chat/reported-caches.ts";

const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
const answer = { pieces: [" one", " two"], usage: USAGE };
/** More words than the first slice of a hold pays for. */
const words = openAiStream({
  pieces: Array.from({ length: 10 }, () => " word".repeat(300)),
  usage: USAGE,
});

/** What the upstream does, by the model that it is asked for. */
const SCRIPTS: Record<string, Handler> = {
  async good(exchange) {
    if ((exchange.request.json() as { stream?: boolean }).stream !== true)
      return exchange.json(200, openAiCompletion(answer));
    await exchange.sendAll(openAiStream(answer));
    exchange.end();
  },
  async long(exchange) {
    await exchange.send(Buffer.concat(words));
    exchange.end();
  },
  async breaking(exchange) {
    await exchange.sendAll([
      ...openAiStream(answer).slice(0, 3),
      sseEvent({ error: { message: "stopped" } }),
    ]);
    exchange.end();
  },
  async absurd(exchange) {
    await exchange.sendAll(
      openAiStream({ ...answer, usage: { prompt_tokens: 1, completion_tokens: 9_000_000 } }),
    );
    exchange.end();
  },
  failing: (exchange) => exchange.json(500, { error: { message: "oops" } }),
};

let database: TestDatabase;
let upstream: ScriptedUpstream;
let ledger: SettlePipeline;
let idempotency: Idempotency;
let limiter: RateLimiter;
let limits: RateGate;
let outgoing: Outgoing;
/** Its hold is released 15 seconds later, so it begins first and ends last. */
let lostVerdict: Promise<unknown>;
let catalogue: ReturnType<ChatServiceDeps["catalogue"]["current"]>["catalogue"];
const ownerId = newUuid();
before(async () => {
  upstream = await startScriptedUpstream((exchange) =>
    SCRIPTS[(exchange.request.json() as { model: string }).model]?.(exchange),
  );
  database = await testDatabase();
  await registerOwner(database.db, ownerId);
  ledger = createSettlePipeline({
    url: database.url,
    db: database.db,
    ownerId,
    applicationName: "faults",
    onError: () => undefined,
  });
  idempotency = createIdempotency({
    db: database.db,
    isDead: async () => false,
    onError: () => undefined,
  });
  const { url, db } = database;
  limiter = createRateLimiter({
    url,
    db,
    ownerId,
    applicationName: "faults",
    onError: () => undefined,
  });
  await limiter.start();
  limits = createRateGate({ limiter, onRefused: () => undefined, onError: () => undefined });
  outgoing = createOutgoing();
  const models = Object.keys(SCRIPTS).map(
    (name) =>
      `  ${name}: { type: chat, endpoints: [chat.completions], contextTokens: 20000, maxOutputTokens: 8000, price: { input: "150", output: "600" }, routes: [ { upstream: up, model: ${name} } ] }`,
  );
  const source = `upstreams: { up: { protocol: openai, baseUrl: "${upstream.url}/v1", apiKeyEnv: KEY } }\nmodels:\n${models.join("\n")}\n`;
  const reading = parseCatalogue(source, { KEY: "x" });
  assert.ok(reading.ok, JSON.stringify(reading));
  catalogue = reading.catalogue;
  lostVerdict = serveWithFault({ model: "good", stream: true, roubles: "100" }, LOST_VERDICT);
  lostVerdict.catch(() => undefined);
});
after(async () => {
  await outgoing.close();
  await ledger.close();
  await limiter.close();
  await database.drop();
  await upstream.close();
});

/** Where to throw: at the step of this number, from 1, or of this name; 0 is nowhere. */
type Chosen = number | string;

/** Counts the steps of one request, and throws at the one that was chosen. */
function createPlan(chosen: Chosen) {
  const steps: string[] = [];
  function step(name: string): void {
    if (steps.push(name) === chosen || name === chosen) throw new Error(`planted at ${name}`);
  }

  /**
   * The same object, whose every call is a step, and whose every promise is another one when it is
   * done.
   */
  function watched<T extends object>(name: string, target: T): T {
    return new Proxy(target, {
      get(_, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          const call = `${name}.${String(property)}`;
          step(call);
          const result: unknown = Reflect.apply(value, target, args);
          if (result instanceof Promise) {
            return result.then((found: unknown) => {
              step(`${call} done`);
              return found;
            });
          }
          // Readers and assemblers; frames and buffers are only data.
          const made =
            String(property).startsWith("create") && typeof result === "object" && result !== null;
          return made ? watched(call, result) : result;
        };
      },
    });
  }
  return { steps, watched };
}

function replyOf(): ChatReply & { over: boolean } {
  const reply = {
    gone: false,
    streamStarted: false,
    over: false,
    onGone: () => undefined,
    showStanding: () => undefined,
    note: () => undefined,
    json: () => void (reply.over = true),
    startStream: () => void (reply.streamStarted = true),
    write: () => true,
    onDrain: () => undefined,
    end: () => void (reply.over = true),
    breakOff: () => void (reply.over = true),
  };
  return reply;
}

const MOST_STALLS = 5;

interface Scene {
  readonly model: string;
  readonly stream: boolean;
  /** What the account has. */
  readonly roubles: string;
  /** The request has an idempotency key. */
  readonly keyed?: true;
}

/** A key is free again, or its answer is kept; what was charged can be asked for again. */
async function assertRecordEnded(
  requestId: string,
  chargedNano: bigint,
  where: string,
): Promise<void> {
  const ofRequest =
    "SELECT state = 'running' AS running, body IS NOT NULL AS kept FROM idempotency.records WHERE request_id = $1";
  const record = await until(`the end of the record of ${where}`, async () => {
    const [row] = await database.db.query<{ running: boolean; kept: boolean }>(ofRequest, [
      requestId,
    ]);
    return row?.running !== true && { kept: row?.kept ?? false };
  });
  if (chargedNano > 0n) assert.ok(record.kept, `charged without an answer: ${where}`);
}

async function hasPlace(db: TestDatabase["db"], requestId: string): Promise<boolean> {
  return (
    (await db.query("SELECT FROM limits.running WHERE request_id = $1", [requestId])).length > 0
  );
}

/**
 * One request with a fault at its `chosen` step. Returns its steps; fails when it does not end, or
 * its hold does not.
 */
async function serveWithFault(scene: Scene, chosen: Chosen): Promise<readonly string[]> {
  for (let stalls = 0; stalls < MOST_STALLS; stalls++) {
    const steps = await serveOnce(scene, chosen);
    if (steps !== null) return steps;
  }
  throw new Error(`the database was out of reach ${MOST_STALLS} times: ${JSON.stringify(scene)}`);
}

/** Null when the machine stood still so long that the request was refused before the fault. */
async function serveOnce(scene: Scene, chosen: Chosen): Promise<readonly string[] | null> {
  const { db } = database;
  const accountId = await newAccount(db, scene.roubles);
  const { key } = await newKey(db, accountId, { maxConcurrent: 1, tokensPerMinute: 1_000_000 });
  const { steps, watched } = createPlan(chosen);
  const service = createChatService(
    watched("deps", {
      credential: () => "secret",
      countTokens,
      countTexts,
      caches: createReportedCaches({ monotonicMs: () => 0 }),
      seal: createSeal("a secret of at least thirty-two characters"),
      onSuspicion: () => undefined,
      onDone: () => undefined,
      upstreams: {
        openai: { dialect: watched("upstream", openAiUpstream), buildRequest: openAiChatRequest },
      },
      outgoing: watched("outgoing", outgoing),
      ledger: watched("ledger", ledger),
      catalogue: watched("catalogue", { current: () => ({ version: 1, catalogue }) }),
      health: watched(
        "health",
        createCircuitBreakers({
          clock: systemClock,
          kinds: new Set(["chat"]),
          onCircuit: () => undefined,
        }),
      ),
      places: createConcurrencyLimiter(),
      clock: systemClock,
      loadShedder: createLoadShedder({ most: Infinity }),
      ownerId,
      limits: watched("limits", limits),
      idempotency: watched("idempotency", idempotency),
      onReplayed: () => undefined,
    }),
  );
  const reply = replyOf();
  const requestId = newUuid();
  const startedAt = systemClock.now();
  const startedMs = systemClock.monotonicMs();
  const messages = [{ role: "user", content: "Count" }];
  const served = service
    .serve({
      dialect: watched("dialect", openAiDialect),
      forward: {},
      query: "",
      idempotencyKey: scene.keyed === true ? requestId : null,
      requestId,
      startedAt,
      startedMs,
      key: { ...key, accountLimits: NO_RATE_LIMITS },
      ip: "127.0.0.1",
      body: Buffer.from(
        JSON.stringify({ model: scene.model, messages, stream: scene.stream, max_tokens: 4000 }),
      ),
      reply: watched("reply", reply),
      trace: watched(
        "trace",
        SILENT_TRACER.begin(requestId, "/v1/chat/completions", startedAt, startedMs, null),
      ),
    })
    .then(
      () => "replied" as const,
      (error: unknown) =>
        error instanceof Fault && error.code === "overloaded"
          ? ("stalled" as const)
          : ("refused" as const),
    );
  const nameOf = (step: Chosen): string | undefined =>
    typeof step === "number" ? steps[step - 1] : step;
  const where = (): string =>
    `${JSON.stringify(scene)} with a fault at step ${chosen}, ${nameOf(chosen) ?? "none"}`;
  const outcome = await until(`the end of ${where()}`, () =>
    Promise.race([served, setImmediate(null)]),
  );
  const replyFailed = nameOf(chosen)?.startsWith("reply.") ?? false;
  // No planted fault is one of these.
  if (outcome === "stalled") return null;
  assert.ok(
    outcome === "refused" || reply.over || replyFailed,
    `the client is not left waiting: ${where()}`,
  );
  const wasHeld = steps.includes("ledger.hold") && nameOf(chosen) !== "ledger.hold";
  const ends = await until(`the end of the hold of ${where()}`, async () => {
    const live = await liveHolds(db);
    const found = await endings(db, accountId);
    return (!wasHeld || found.length > 0) && live.every(({ id }) => id !== requestId) && found;
  });
  // Where the pass itself was lost, the limiter's beat clears the place away.
  if (nameOf(chosen) !== LOST_PASS)
    await until(`the end of the place of ${where()}`, async () => !(await hasPlace(db, requestId)));
  assert.equal(ends.length, wasHeld ? 1 : 0, where());
  if (scene.keyed === true) await assertRecordEnded(requestId, ends[0]?.chargedNano ?? 0n, where());
  assert.equal(service.active, 0, where());
  return steps;
}

const SCENES: readonly (readonly [name: string, scene: Scene])[] = [
  ["a stream", { model: "good", stream: true, roubles: "100" }],
  ["a whole answer that is passed through", { model: "good", stream: false, roubles: "100" }],
  ["a whole answer that is assembled", { model: "good", stream: false, roubles: "2" }],
  ["a stream that grows its hold", { model: "long", stream: true, roubles: "100" }],
  ["a stream that its balance stops", { model: "long", stream: true, roubles: "1" }],
  ["a stream that breaks off", { model: "breaking", stream: true, roubles: "100" }],
  ["an assembled answer that breaks off", { model: "breaking", stream: false, roubles: "2" }],
  ["a usage that cannot be true", { model: "absurd", stream: true, roubles: "100" }],
  ["an upstream that fails", { model: "failing", stream: true, roubles: "100" }],
  [
    "a stream with an idempotency key",
    { model: "good", stream: true, roubles: "100", keyed: true },
  ],
  [
    "a whole answer with an idempotency key",
    { model: "good", stream: false, roubles: "100", keyed: true },
  ],
  [
    "an assembled answer with an idempotency key",
    { model: "good", stream: false, roubles: "2", keyed: true },
  ],
  [
    "a stream with an idempotency key that breaks off",
    { model: "breaking", stream: true, roubles: "100", keyed: true },
  ],
  [
    "an upstream that fails a request with an idempotency key",
    { model: "failing", stream: true, roubles: "100", keyed: true },
  ],
];

const LOST_VERDICT = "ledger.hold done";
const LOST_PASS = "limits.admit done";
/** Tested apart: the first takes long, of the second `begin` itself takes care. */
const ELSEWHERE: readonly (string | undefined)[] = [LOST_VERDICT, "idempotency.begin done"];

for (const [name, scene] of SCENES) {
  test(`${name}: a fault at each of its steps`, async (t) => {
    const usual = await serveWithFault(scene, 0);
    const chosen = usual
      .keys()
      .filter((index) => !ELSEWHERE.includes(usual[index]))
      .map((index) => index + 1);
    t.diagnostic(`${usual.length} steps`);
    const failures: string[] = [];
    const lane = async (): Promise<void> => {
      for (const step of chosen)
        await serveWithFault(scene, step).catch((error: unknown) => failures.push(String(error)));
    };
    await Promise.all(Array.from({ length: 16 }, lane));
    assert.deepEqual(failures, []);
  });
}

test("a hold whose verdict was lost is released", async () => {
  await lostVerdict;
});

test("the books agree after all of this", async () => {
  assert.deepEqual((await verifyLedger(database.db)).mismatches, []);
});
