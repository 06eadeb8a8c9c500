/**
 * Protects: the order of money and bytes (held before the call, settled before the last byte),
 * keep-alives, what is saved of a live stream, and who a drain waits for.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keyRecord } from "../../../test/support/key-record.ts";
import { openAiStream } from "../../../test/support/openai-stream.ts";
import { createGate, startScriptedUpstream } from "../../../test/support/scripted-upstream.ts";
import type { Handler } from "../../../test/support/scripted-upstream.ts";
import { until } from "../../../test/support/until.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { KEEP_ALIVE_MS } from "../../kernel/limits.ts";
import { createSeal } from "../../kernel/seal.ts";
import type { Nano } from "../../kernel/money.ts";
import { NO_RATE_LIMITS } from "../../kernel/rate-limits.ts";
import type { ExtendRequest, HoldRequest } from "../../ledger/hold-verdicts.ts";
import { createOutgoing } from "../../net/outgoing.ts";
import { countTexts, countTokens } from "../../protocol/count-tokens.ts";
import { openAiDialect } from "../../protocol/openai/dialect.ts";
import { openAiUpstream } from "../../protocol/openai/upstream.ts";
import { openAiChatRequest } from "../../upstreams/openai-compatible.ts";
import type { SettlePipeline, SettleRequest } from "../money/settle-pipeline.ts";
import type { ChatCall, ChatReply } from "./chat-call.ts";
import { SILENT_TRACER } from "./chat-trace.ts";
import { createCircuitBreakers } from "../routing/circuit-breakers.ts";
import { createConcurrencyLimiter } from "../routing/concurrency-limiter.ts";
import { createLoadShedder } from "../admission/load-shedder.ts";
import { createChatService } from "./serve-chat.ts";
import { createReportedCaches } from "./reported-caches.ts";

/** How many may wait to be admitted or settled. */
const MOST_WAITING = 300;

const outgoing = createOutgoing();
after(() => outgoing.close());

/**
 * A ledger that grants everything and writes down what it was asked, in order; the real one is
 * tested elsewhere.
 */
function generousLedger(events: string[], letHold: Promise<void>) {
  const gate = createGate();
  const extensions: ExtendRequest[] = [];
  let held = 0n;
  const ledger: SettlePipeline = {
    async hold(request: HoldRequest) {
      events.push("hold");
      await letHold;
      held = request.sliceNano;
      return { kind: "held", heldNano: request.sliceNano, tier: "slice" };
    },
    async extend(request) {
      extensions.push(request);
      held += request.addNano;
      return { kind: "extended", heldNano: held as Nano };
    },
    async settle(request: SettleRequest) {
      events.push("settling");
      await gate.wait;
      events.push("settled");
      return {
        kind: "settled",
        chargedNano: request.chargeNano,
        releasedNano: 0n as Nano,
      };
    },
    silent: false,
    undecided: false,
    wasLost: () => false,
    queued: { grants: 0, elements: 0 },
    recall: () => undefined,
    close: async () => undefined,
  };
  return { ledger, extensions, letSettle: gate.open };
}

function recordingReply(events: string[]) {
  let text = "";
  let starts = 0;
  const reply: ChatReply = {
    gone: false,
    onGone: () => undefined,
    showStanding: () => undefined,
    note: () => undefined,
    json: (status) => void events.push(`json ${status}`),
    startStream() {
      starts += 1;
    },
    get streamStarted() {
      return starts > 0;
    },
    write(bytes) {
      text += bytes.toString();
      return true;
    },
    onDrain: () => undefined,
    end(lastBytes) {
      text += lastBytes?.toString() ?? "";
      events.push("end");
    },
    breakOff: () => void events.push("broken off"),
  };
  return { reply, text: () => text, started: () => starts > 0, starts: () => starts };
}

async function stage(handler: Handler, letHold: Promise<void> = Promise.resolve()) {
  const events: string[] = [];
  const upstream = await startScriptedUpstream((exchange) => {
    events.push("called");
    return handler(exchange);
  });
  const source = `
upstreams: { u: { protocol: openai, baseUrl: "${upstream.url}/v1", apiKeyEnv: U_KEY, maxConcurrent: 5000 } }
models: { m: { type: chat, endpoints: [chat.completions], contextTokens: 8000, maxOutputTokens: 4000, price: { input: "10", output: "20" }, routes: [ { upstream: u, model: m } ] } }`;
  const reading = parseCatalogue(source, { U_KEY: "x" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.mistakes));
  let nowMs = 0;
  const money = generousLedger(events, letHold);
  const client = recordingReply(events);
  const clock = { now: () => new Date(0), monotonicMs: () => nowMs };
  const service = createChatService({
    health: createCircuitBreakers({
      clock,
      kinds: new Set(["chat"]),
      onCircuit: () => undefined,
    }),
    places: createConcurrencyLimiter(),
    upstreams: { openai: { dialect: openAiUpstream, buildRequest: openAiChatRequest } },
    catalogue: { current: () => ({ version: 1, catalogue: reading.catalogue }) },
    ledger: money.ledger,
    outgoing,
    clock,
    loadShedder: createLoadShedder({ most: MOST_WAITING }),
    ownerId: newUuid(),
    credential: () => "x",
    countTokens,
    countTexts,
    caches: createReportedCaches({ monotonicMs: () => 0 }),
    seal: createSeal("a secret of at least thirty-two characters"),
    onSuspicion: () => undefined,
    onDone: () => events.push("done"),
    onReplayed: () => undefined,
    limits: { admit: async () => ({ standing: null, end: async () => undefined }) },
    idempotency: {
      begin: async () => null,
      keep: async () => "kept",
      forget: async () => undefined,
    },
  });
  const key = { ...keyRecord(), accountLimits: NO_RATE_LIMITS };
  const requestId = newUuid();
  const call: ChatCall = {
    dialect: openAiDialect,
    forward: {},
    query: "",
    idempotencyKey: null,
    requestId,
    startedAt: new Date(0),
    startedMs: 0,
    key,
    ip: "127.0.0.1",
    body: Buffer.from(
      JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hello" }] }),
    ),
    reply: client.reply,
    trace: SILENT_TRACER.begin(requestId, "/v1/chat/completions", new Date(0), 0, null),
  };
  return {
    events,
    client,
    money,
    call,
    serving: service.serve(call),
    service,
    passMs(ms: number) {
      nowMs += ms;
      service.tick();
    },
    close: () => upstream.close(),
  };
}

const EVENTS = openAiStream({
  pieces: ["one ", "two"],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});

test("the hold comes before the call, and the last event waits for the settlement", async () => {
  const scene = await stage(async (exchange) => {
    await exchange.sendAll(EVENTS);
    exchange.end();
  });
  await until("the settlement", async () => scene.events.includes("settling"));
  assert.deepEqual(scene.events, ["hold", "called", "settling"]);
  assert.ok(scene.client.text().includes("two"), "content is not kept waiting");
  assert.ok(!scene.client.text().includes("[DONE]"), "the last event is");
  scene.money.letSettle();
  await scene.serving;
  assert.deepEqual(scene.events, ["hold", "called", "settling", "settled", "end", "done"]);
  assert.ok(scene.client.text().endsWith("data: [DONE]\n\n"));
  await scene.close();
});

test("a silent upstream is covered for by keep-alives, and not before it is silent for long", async () => {
  const gate = createGate();
  const scene = await stage(async (exchange) => {
    await exchange.send(EVENTS[0] ?? "");
    await gate.wait;
    await exchange.sendAll(EVENTS.slice(1));
    exchange.end();
  });
  scene.money.letSettle();
  await until("the call", async () => scene.events.includes("called"));
  scene.passMs(KEEP_ALIVE_MS - 1);
  assert.equal(
    scene.client.started(),
    false,
    "headers are not committed while a real error could still be told",
  );
  scene.passMs(1);
  assert.equal(scene.client.text(), ": keep-alive\n\n");
  scene.passMs(KEEP_ALIVE_MS);
  assert.equal(scene.client.text(), ": keep-alive\n\n: keep-alive\n\n");
  gate.open();
  await scene.serving;
  assert.ok(!scene.client.text().split("[DONE]")[1]?.includes("keep-alive"));
  await scene.close();
});

test("an upstream that sends only what says nothing to the client is as good as silent", async () => {
  const gates = [createGate(), createGate()] as const;
  const scene = await stage(async (exchange) => {
    await exchange.sendAll(EVENTS.slice(0, 3));
    await gates[0].wait;
    await exchange.send("data:\n\n");
    await gates[1].wait;
    await exchange.sendAll(EVENTS.slice(3));
    exchange.end();
  });
  scene.money.letSettle();
  await until("the first words", async () => scene.client.text().includes("two"));
  const before = { text: scene.client.text(), starts: scene.client.starts() };
  scene.passMs(KEEP_ALIVE_MS - 1);
  gates[0].open();
  await until("the empty event", async () => scene.client.starts() > before.starts);
  assert.equal(
    scene.client.text(),
    before.text,
    "the official SDK gives up a stream over an empty event",
  );
  scene.passMs(1);
  assert.equal(scene.client.text(), `${before.text}: keep-alive\n\n`);
  gates[1].open();
  await scene.serving;
  await scene.close();
});

test("a live stream saves what it has delivered, so that a crash loses a few seconds at the most", async () => {
  const gate = createGate();
  const scene = await stage(async (exchange) => {
    await exchange.sendAll(EVENTS.slice(0, 3));
    await gate.wait;
    await exchange.sendAll(EVENTS.slice(3));
    exchange.end();
  });
  scene.money.letSettle();
  await until("the content", async () => scene.client.text().includes("two"));
  scene.passMs(3000);
  await until("a save", async () => scene.money.extensions.length > 0);
  const saved = scene.money.extensions[0];
  assert.equal(saved?.addNano, 0n);
  assert.ok((saved?.recordedNano ?? 0n) > 0n);
  scene.passMs(1000);
  await until("a count", async () => scene.money.extensions.length === 2);
  scene.passMs(3000);
  scene.passMs(3000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(scene.money.extensions.length, 2, "nothing new, nothing saved");
  gate.open();
  await scene.serving;
  await scene.close();
});

test("the first words of a stream are saved at once, later ones as soon as it pauses", async () => {
  const gate = createGate();
  const scene = await stage(async (exchange) => {
    await exchange.sendAll(EVENTS.slice(0, 2));
    await gate.wait;
    await exchange.sendAll(EVENTS.slice(2, 3));
    await exchange.hang();
  });
  scene.money.letSettle();
  const saves = async (count: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(scene.money.extensions.length, count);
  };
  await until("the first words", async () => scene.client.text().includes("one"));
  scene.passMs(1);
  await saves(1);
  assert.ok((scene.money.extensions[0]?.recordedNano ?? 0n) > 0n);
  gate.open();
  await until("a second word", async () => scene.client.text().includes("two"));
  scene.passMs(999);
  await saves(1);
  scene.passMs(1);
  await saves(2);
  await scene.service.drain(0);
  await scene.serving;
  await scene.close();
});

test("a drain that begins while a hold is being decided waits for that request too", async () => {
  const gate = createGate();
  const scene = await stage(async (exchange) => {
    await exchange.sendAll(EVENTS);
    exchange.end();
  }, gate.wait);
  scene.money.letSettle();
  assert.deepEqual(scene.events, ["hold"]);
  const drained = scene.service.drain(60_000).then(() => scene.events.push("drained"));
  gate.open();
  await Promise.all([scene.serving, drained]);
  assert.deepEqual(scene.events.slice(-3), ["end", "done", "drained"]);
  await scene.close();
});

test("a request admitted after the deadline of a drain is refused and its hold released, without a call", async () => {
  const gate = createGate();
  const scene = await stage(() => undefined, gate.wait);
  scene.money.letSettle();
  const drained = scene.service.drain(0);
  const refused = assert.rejects(
    scene.serving,
    (error) => error instanceof Fault && error.code === "overloaded",
  );
  await sleep(20);
  gate.open();
  await Promise.all([refused, drained]);
  assert.deepEqual(scene.events, ["hold", "settling", "settled", "done"]);
  await scene.close();
});

test("a failed request is told its own status, however long the release of its hold takes", async () => {
  const scene = await stage((exchange) =>
    exchange.json(400, { error: { message: "No such voice." } }),
  );
  const refused = assert.rejects(
    scene.serving,
    (error) => error instanceof Fault && error.status === 400,
  );
  await until("the release", async () => scene.events.includes("settling"));
  scene.passMs(KEEP_ALIVE_MS);
  assert.equal(scene.client.started(), false);
  scene.money.letSettle();
  await refused;
  await scene.close();
});

test("the last bytes wait a minute for a ledger that is out of reach, and the settlement goes on behind them", async () => {
  const scene = await stage(async (exchange) => {
    await exchange.sendAll(EVENTS);
    exchange.end();
  });
  await until("the settlement", async () => scene.events.includes("settling"));
  scene.passMs(59_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!scene.events.includes("end"));
  scene.passMs(1);
  await until("the end", async () => scene.events.includes("end"));
  assert.ok(scene.client.text().endsWith("data: [DONE]\n\n"));
  assert.deepEqual(scene.events, ["hold", "called", "settling", "end"]);
  assert.equal(scene.service.active, 1, "a drain waits for what is still to be settled");
  scene.money.letSettle();
  await scene.serving;
  assert.deepEqual(scene.events, ["hold", "called", "settling", "end", "settled", "done"]);
  await scene.close();
});

test("past what it can admit and settle in time the service refuses at once; requests waiting for an upstream do not count", async () => {
  const [letHold, upstreamGate] = [createGate(), createGate()];
  const scene = await stage(async (exchange) => {
    await exchange.sendAll(EVENTS.slice(0, 3));
    await upstreamGate.wait;
    await exchange.sendAll(EVENTS.slice(3));
    exchange.end();
  }, letHold.wait);
  const another = (): Promise<void> => {
    const requestId = newUuid();
    return scene.service.serve({ ...scene.call, requestId, reply: recordingReply([]).reply });
  };
  const overloaded = (error: unknown): boolean =>
    error instanceof Fault && error.code === "overloaded" && error.details.retryAfterSeconds === 1;

  const all = [scene.serving, ...Array.from({ length: MOST_WAITING - 1 }, another)];
  assert.equal(scene.service.refusal()?.code, "overloaded");
  await assert.rejects(another(), overloaded);
  letHold.open();
  await until("all to be admitted", async () => scene.service.active === MOST_WAITING);
  all.push(another());
  await until("one more", async () => scene.service.active === MOST_WAITING + 1);

  upstreamGate.open();
  await until(
    "most to be settled",
    async () => scene.events.filter((event) => event === "settling").length > MOST_WAITING - 1,
  );
  await assert.rejects(another(), overloaded);
  scene.money.letSettle();
  await Promise.all(all);
  assert.equal(scene.service.active, 0);
  assert.equal(scene.service.refusal(), null);
  await Promise.all([another(), another()]);
  await scene.close();
});
