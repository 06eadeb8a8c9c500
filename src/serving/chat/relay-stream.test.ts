/**
 * Protects: nothing passes that the hold does not cover, a cut stream is never a complete one, and
 * every end is reported once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, Frame } from "../../protocol/chat-dialect.ts";
import { openAiDialect } from "../../protocol/openai/dialect.ts";
import { anthropicUpstream } from "../../protocol/anthropic/upstream.ts";
import { openAiUpstream } from "../../protocol/openai/upstream.ts";
import { anthropicStream } from "../../../test/support/anthropic-stream.ts";
import { openAiStream } from "../../../test/support/openai-stream.ts";
import type { RollingHold, GrowOutcome } from "../money/rolling-hold.ts";
import type { StreamListener } from "./open-stream.ts";
import { relayStream } from "./relay-stream.ts";

/** An upstream stream in the test's hand, and what the relay did to it. */
function handHeldStream(
  upstream: Pick<typeof openAiUpstream, "createFrameReader"> = openAiUpstream,
) {
  const reader = upstream.createFrameReader();
  let listener: StreamListener | null = null;
  const calls: string[] = [];
  return {
    calls,
    stream: {
      reader,
      exchange: {
        abort: () => calls.push("abort"),
        pause: () => calls.push("pause"),
        resume: () => calls.push("resume"),
      },
      attach(to: StreamListener) {
        listener = to;
      },
    },
    send: (bytes: Buffer) => listener?.onFrames(reader.push(bytes)),
    end: () => listener?.onEnd(),
    fail: (reason: string) => listener?.onError({ reason }),
  };
}

const IDENTITY: AnswerIdentity = {
  requestId: "r",
  created: 0,
  model: "m",
  answerModel: null,
  promptTokens: 0,
  includeUsage: false,
};

/** A client that did not ask for the usage. */
function collect() {
  const writer = openAiDialect.createNativeWriter(IDENTITY);
  const out: Buffer[] = [];
  let full = false;
  let drained: (() => void) | null = null;
  return {
    writer,
    text: () => Buffer.concat(out).toString(),
    fill() {
      full = true;
    },
    drain() {
      full = false;
      drained?.();
    },
    output: {
      write(frames: readonly Frame[]) {
        out.push(...frames.flatMap((frame) => writer.write(frame) ?? []));
        return !full;
      },
      onDrain(listener: () => void) {
        drained = listener;
      },
    },
  };
}

/** Covers up to `tokens`; what happens beyond is the test's to say. */
function coverUpTo(tokens: number, grow: (needed: number) => Promise<GrowOutcome>): RollingHold {
  let covered = tokens;
  return {
    heldNano: 0n as Nano,
    get coveredTokens() {
      return covered;
    },
    covers: (needed) => needed <= covered,
    wantsMore: () => false,
    async grow(needed) {
      const outcome = await grow(needed);
      if (outcome === "covered") covered = needed + 1000;
      return outcome;
    },
    growExactly: async () => "refused",
    growDearer: async () => "refused",
    save: async () => undefined,
    coverAmount: async () => true,
  };
}

const UNLIMITED = coverUpTo(1_000_000, async () => "covered");
const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const PIECES = ["При", "вет", ", ", "мир", " 🌍"];
const EVENTS = openAiStream({ pieces: PIECES, usage: USAGE });
const WITHOUT_USAGE = EVENTS.filter((event) => !event.toString().includes('"prompt_tokens"'));

test("the client gets the upstream's bytes, all but the usage chunk it did not ask for and the last event, which waits for the ledger", async () => {
  const upstream = handHeldStream();
  const client = collect();
  const relay = relayStream(upstream.stream, client.output, UNLIMITED);
  upstream.send(Buffer.concat(EVENTS));
  const end = await relay.end;
  assert.equal(end.kind, "complete");
  const last =
    end.kind === "complete" ? (client.writer.end(end.done, NO_USAGE)?.toString() ?? "") : "";
  assert.equal(client.text() + last, Buffer.concat(WITHOUT_USAGE).toString());
  assert.equal(relay.progress.text(), PIECES.join(""));
  assert.deepEqual(relay.progress.usage.kind, "valid");
});

test("a complete answer is read to its very end although its client is slow, so that the connection can be used again", async () => {
  const upstream = handHeldStream();
  const client = collect();
  client.fill();
  const relay = relayStream(upstream.stream, client.output, UNLIMITED);
  upstream.send(Buffer.concat(EVENTS));
  assert.equal((await relay.end).kind, "complete");
  assert.deepEqual(upstream.calls, ["pause", "resume"]);
});

test("a usage that content follows is not the usage of the answer", async () => {
  const placeholder = Buffer.from(
    'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0,"total_tokens":3}}\n\n',
  );
  const upstream = handHeldStream();
  const relay = relayStream(upstream.stream, collect().output, UNLIMITED);
  const usageKind = (): string => relay.progress.usage.kind;
  upstream.send(placeholder);
  assert.equal(usageKind(), "valid");
  upstream.send(Buffer.concat(EVENTS.slice(0, 3)));
  assert.equal(usageKind(), "absent");
  upstream.send(placeholder);
  upstream.fail("closed");
  await relay.end;
  assert.equal(usageKind(), "valid");
});

for (const how of ["clean end", "broken connection"] as const) {
  test(`cut at every event boundary by a ${how}: never complete before the finish reason`, async () => {
    const finishAt = EVENTS.findIndex((event) =>
      event.toString().includes('"finish_reason":"stop"'),
    );
    assert.ok(finishAt > 0);
    for (let cut = 1; cut < EVENTS.length; cut++) {
      const upstream = handHeldStream();
      const relay = relayStream(upstream.stream, collect().output, UNLIMITED);
      for (const event of EVENTS.slice(0, cut)) upstream.send(event);
      if (how === "clean end") upstream.end();
      else upstream.fail("closed");
      const { kind } = await relay.end;
      const complete = how === "clean end" && cut > finishAt;
      assert.equal(
        kind,
        complete ? "complete" : "interrupted",
        `cut after event ${cut} of ${EVENTS.length}`,
      );
    }
  });
}

test("a stream that the balance stops ends with its own finish reason, even when the upstream's was read already", async () => {
  const upstream = handHeldStream();
  const client = collect();
  const relay = relayStream(
    upstream.stream,
    client.output,
    coverUpTo(3, async () => "refused"),
  );
  upstream.send(Buffer.concat(EVENTS));
  assert.equal((await relay.end).kind, "stopped-by-balance");
  assert.ok(!client.text().includes('finish_reason":"stop'));
  assert.match(client.writer.limitStop(NO_USAGE).toString(), /"finish_reason":"length".*\[DONE\]/s);
});

test("an extension that fails at once is not asked for again at once", async () => {
  let asked = 0;
  const upstream = handHeldStream();
  const client = collect();
  const rollingHold = coverUpTo(0, async () => {
    asked += 1;
    // Without an end to it, nothing else would ever run here.
    if (asked > 100) return "lost";
    throw new Error("out of reach");
  });
  const relay = relayStream(upstream.stream, client.output, {
    ...rollingHold,
    wantsMore: () => true,
  });
  upstream.send(Buffer.concat(EVENTS.slice(0, 4)));
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(asked <= 2, `asked ${asked} times`);
  upstream.send(Buffer.concat(EVENTS.slice(4)));
  assert.equal((await relay.end).kind, "complete");
});

test("a frame beyond the hold waits for the extension, and goes on when it is granted", async () => {
  const gate = Promise.withResolvers<GrowOutcome>();
  const upstream = handHeldStream();
  const client = collect();
  const relay = relayStream(
    upstream.stream,
    client.output,
    coverUpTo(0, () => gate.promise),
  );
  upstream.send(Buffer.concat(EVENTS.slice(0, 3)));
  upstream.send(Buffer.concat(EVENTS.slice(3)));
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!client.text().includes("При"), "nothing uncovered has passed");
  assert.ok(upstream.calls.includes("pause"));
  gate.resolve("covered");
  assert.equal((await relay.end).kind, "complete");
  assert.ok(client.text().includes("🌍"));
});

for (const [outcome, kind] of [
  ["covered", "complete"],
  ["refused", "stopped-by-balance"],
] as const) {
  test(`an upstream that ends while an extension is waited for: ${kind} by what becomes of it, and not before`, async () => {
    const gate = Promise.withResolvers<GrowOutcome>();
    const upstream = handHeldStream();
    const client = collect();
    const relay = relayStream(
      upstream.stream,
      client.output,
      coverUpTo(0, () => gate.promise),
    );
    upstream.send(Buffer.concat(EVENTS.slice(0, -1)));
    upstream.end();
    gate.resolve(outcome);
    assert.equal((await relay.end).kind, kind);
    assert.equal(relay.progress.text(), kind === "complete" ? PIECES.join("") : "");
  });
}

test("an extension that is refused ahead of need is not asked for again at every frame", async () => {
  let asked = 0;
  const upstream = handHeldStream();
  const rollingHold = coverUpTo(1_000_000, async () => {
    asked += 1;
    // Without an end to it, nothing else would ever run here.
    return asked > 100 ? "lost" : "refused";
  });
  const relay = relayStream(upstream.stream, collect().output, {
    ...rollingHold,
    wantsMore: () => true,
  });
  for (const event of EVENTS) {
    upstream.send(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual([(await relay.end).kind, asked], ["complete", 1]);
});

test("what a stream told of its prompt alone stays known while content follows", async () => {
  const upstream = handHeldStream(anthropicUpstream);
  const relay = relayStream(
    upstream.stream,
    { write: () => true, onDrain: () => undefined },
    UNLIMITED,
  );
  const events = anthropicStream({
    blocks: [{ type: "text", pieces: PIECES }],
    startUsage: { input_tokens: 31 },
  });
  for (const event of events.slice(0, 4)) upstream.send(event);
  assert.ok(relay.progress.anything);
  const { usage } = relay.progress;
  assert.deepEqual(usage.kind === "partial" && [usage.known, usage.usage.inputTokens], [
    "input",
    31,
  ]);
});

test("a refused extension stops the upstream and ends by the balance", async () => {
  const upstream = handHeldStream();
  const client = collect();
  const relay = relayStream(
    upstream.stream,
    client.output,
    coverUpTo(0, async () => "refused"),
  );
  upstream.send(Buffer.concat(EVENTS));
  assert.equal((await relay.end).kind, "stopped-by-balance");
  assert.ok(!client.text().includes("При"));
  assert.ok(upstream.calls.includes("abort"));
  assert.equal(relay.progress.anything, false);
});

test("a hold that was settled by another process ends the stream", async () => {
  const upstream = handHeldStream();
  const relay = relayStream(
    upstream.stream,
    collect().output,
    coverUpTo(0, async () => "lost"),
  );
  upstream.send(Buffer.concat(EVENTS));
  assert.equal((await relay.end).kind, "lost");
});

test("a database out of reach does not cut an admitted stream", async () => {
  const upstream = handHeldStream();
  const client = collect();
  const relay = relayStream(
    upstream.stream,
    client.output,
    coverUpTo(0, async () => Promise.reject(new Error("no database"))),
  );
  upstream.send(Buffer.concat(EVENTS));
  assert.equal((await relay.end).kind, "complete");
  assert.ok(client.text().includes("🌍"));
});

test("a slow client pauses the upstream until it has drained", async () => {
  const upstream = handHeldStream();
  const client = collect();
  relayStream(upstream.stream, client.output, UNLIMITED);
  client.fill();
  upstream.send(EVENTS[1] ?? Buffer.alloc(0));
  assert.deepEqual(upstream.calls, ["pause"]);
  client.drain();
  assert.deepEqual(upstream.calls, ["pause", "resume"]);
});

test("a client that leaves stops the upstream, or lets it run to its usage without being written to", async () => {
  const aborted = handHeldStream();
  const first = relayStream(aborted.stream, collect().output, UNLIMITED);
  aborted.send(Buffer.concat(EVENTS.slice(0, 3)));
  first.clientGone("abort");
  assert.equal((await first.end).kind, "client-gone");
  assert.ok(aborted.calls.includes("abort"));

  const drained = handHeldStream();
  const client = collect();
  const second = relayStream(drained.stream, client.output, UNLIMITED);
  drained.send(Buffer.concat(EVENTS.slice(0, 3)));
  const before = client.text();
  second.clientGone("drain");
  drained.send(Buffer.concat(EVENTS.slice(3)));
  assert.equal((await second.end).kind, "complete");
  assert.equal(client.text(), before);
  assert.equal(second.progress.usage.kind, "valid");
});

for (const [name, event] of [
  ["an error frame", Buffer.from('data: {"error":{"message":"boom"}}\n\n')],
  ["something that is not JSON", Buffer.from("data: {oops\n\n")],
] as const) {
  test(`${name} after content interrupts, and its text is never counted as generated`, async () => {
    const upstream = handHeldStream();
    const client = collect();
    const relay = relayStream(upstream.stream, client.output, UNLIMITED);
    upstream.send(Buffer.concat([...EVENTS.slice(0, 3), event, ...EVENTS.slice(3)]));
    assert.equal((await relay.end).kind, "interrupted");
    assert.equal(relay.progress.text(), "Привет");
    assert.ok(!client.text().includes("oops") && !client.text().includes("boom"));
  });
}

test("what an upstream was paused before comes after what the hold was waited for, even where it comes within the call that resumes", async () => {
  const upstream = handHeldStream();
  const client = collect();
  const resume = (): void => {
    upstream.calls.push("resume");
    upstream.send(Buffer.concat(EVENTS.slice(2)));
  };
  const stream = { ...upstream.stream, exchange: { ...upstream.stream.exchange, resume } };
  const relay = relayStream(
    stream,
    client.output,
    coverUpTo(0, async () => "covered"),
  );
  upstream.send(Buffer.concat(EVENTS.slice(0, 2)));
  const end = await relay.end;
  assert.deepEqual(
    [end.kind, relay.progress.usage.kind, relay.progress.text()],
    ["complete", "valid", PIECES.join("")],
  );
  const last =
    end.kind === "complete" ? (client.writer.end(end.done, NO_USAGE)?.toString() ?? "") : "";
  assert.equal(client.text() + last, Buffer.concat(WITHOUT_USAGE).toString());
  assert.deepEqual(upstream.calls, ["pause", "resume"]);
});
