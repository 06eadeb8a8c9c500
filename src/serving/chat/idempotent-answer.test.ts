/**
 * What is kept of an answer is what its caller would have got, and a caller who leaves stops
 * nothing before its time is over (contract §6).
 */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { KeptAnswer } from "../../idempotency/record.ts";
import { KEPT_ANSWER_LIMIT_BYTES } from "../../idempotency/records.store.ts";
import { newUuid } from "../../kernel/ids.ts";
import { openAiDialect } from "../../protocol/openai/dialect.ts";
import type { ChatReply } from "./chat-call.ts";
import { createIdempotentAnswer } from "./idempotent-answer.ts";

/** A caller's connection that takes one write and then is slow, until it leaves. */
function slowCaller() {
  const drains: (() => void)[] = [];
  const gone: (() => void)[] = [];
  let left = false;
  let written = "";
  const reply: ChatReply = {
    get gone() {
      return left;
    },
    onGone: (listener) => void gone.push(listener),
    showStanding: () => undefined,
    note: () => undefined,
    json: () => undefined,
    startStream: () => undefined,
    streamStarted: true,
    write(bytes) {
      if (!left) written += bytes.toString();
      return left;
    },
    onDrain: (listener) => void drains.push(listener),
    end: (last) => void (written += `${last?.toString() ?? ""}|`),
    breakOff: (last) => void (written += `${last?.toString() ?? ""}!`),
  };
  return {
    reply,
    text: () => written,
    drain: () => drains.splice(0).forEach((listener) => listener()),
    leave() {
      left = true;
      gone.splice(0).forEach((listener) => listener());
    },
  };
}

function answerTo(reply: ChatReply, found: "kept" | "lost" = "kept") {
  const kept: (KeptAnswer | null)[] = [];
  const claim = { accountId: newUuid(), key: "k", requestId: newUuid() };
  const keep = async (_: unknown, answer: KeptAnswer | null): Promise<"kept" | "lost"> => {
    kept.push(answer);
    return found;
  };
  return {
    kept,
    claim,
    answer: createIdempotentAnswer({ keep }, { reply, dialect: openAiDialect }, claim, 1_000),
  };
}

const bytes = (text: string): Buffer => Buffer.from(text);
const end = (last: string | null, broken = false) => ({
  streamed: true as const,
  last: last === null ? null : bytes(last),
  broken,
});

test("a stream is kept as it was written, with its end and without its keep-alives", async () => {
  const caller = slowCaller();
  const { answer, kept, claim } = answerTo(caller.reply);
  answer.reply.write(bytes("one "));
  answer.reply.write(openAiDialect.keepAlive);
  answer.reply.write(bytes("two "));
  assert.deepEqual(await answer.end(end("three")), { ...claim, answered: true });
  answer.reply.end(bytes("three"));
  assert.equal(caller.text(), `one ${openAiDialect.keepAlive.toString()}two three|`);
  const [found] = kept;
  assert.deepEqual(
    [found?.status, found?.streamed, found?.broken, found?.body.toString()],
    [200, true, false, "one two three"],
  );
});

test("a whole answer is kept with its type, a broken stream as broken", async () => {
  const whole = answerTo(slowCaller().reply);
  await whole.answer.end({ streamed: false, contentType: "application/x", body: bytes("{}") });
  assert.deepEqual(whole.kept, [
    {
      status: 200,
      contentType: "application/x",
      streamed: false,
      broken: false,
      body: bytes("{}"),
    },
  ]);
  const broken = answerTo(slowCaller().reply);
  broken.answer.reply.write(bytes("half"));
  await broken.answer.end(end(null, true));
  assert.deepEqual([broken.kept[0]?.broken, broken.kept[0]?.body.toString()], [true, "half"]);
});

test("what came to nothing is not kept, and what another request took over is not answered", async () => {
  const nothing = answerTo(slowCaller().reply);
  assert.deepEqual(await nothing.answer.end(null), { ...nothing.claim, answered: false });
  assert.deepEqual(nothing.kept, []);
  const lost = answerTo(slowCaller().reply, "lost");
  assert.equal((await lost.answer.end(end("x"))).answered, false);
});

test("a stream that grows too large is kept without its bytes, and goes on", async () => {
  const caller = slowCaller();
  const { answer, kept } = answerTo(caller.reply);
  const piece = Buffer.alloc(KEPT_ANSWER_LIMIT_BYTES / 2, "x");
  for (let sent = 0; sent < 3; sent++) answer.reply.write(piece);
  assert.equal((await answer.end(end("y"))).answered, true);
  assert.deepEqual(kept, [null]);
  assert.equal(caller.text().length, 3 * piece.length);
});

test("a caller who leaves while it is waited for keeps nothing back: the rest is read and kept", async () => {
  const caller = slowCaller();
  const { answer, kept } = answerTo(caller.reply);
  let resumed = 0;
  assert.equal(answer.reply.write(bytes("one ")), false);
  answer.reply.onDrain(() => (resumed += 1));
  caller.leave();
  assert.equal(resumed, 1);
  assert.equal(answer.reply.gone, false);
  assert.equal(answer.reply.write(bytes("two")), true);
  answer.reply.onDrain(() => (resumed += 1));
  assert.equal(resumed, 2, "who has left is not waited for");
  await answer.end(end(null));
  assert.equal(kept[0]?.body.toString(), "one two");
});

test("a caller who reads on is waited for as usual", () => {
  const caller = slowCaller();
  const { answer } = answerTo(caller.reply);
  let resumed = 0;
  answer.reply.write(bytes("one "));
  answer.reply.onDrain(() => (resumed += 1));
  assert.equal(resumed, 0);
  caller.drain();
  assert.equal(resumed, 1);
});

test("who has left is gone when its time is over, and not when its answer came before", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const [patient, quick, late] = [slowCaller(), slowCaller(), slowCaller()];
    const [waiting, answered, over] = [
      answerTo(patient.reply).answer,
      answerTo(quick.reply).answer,
      answerTo(late.reply).answer,
    ];
    let reported = 0;
    for (const answer of [waiting, answered, over]) answer.reply.onGone(() => (reported += 1));
    await over.end(end("x"));
    for (const caller of [patient, quick, late]) caller.leave();
    mock.timers.tick(999);
    assert.deepEqual([reported, waiting.reply.gone], [0, false]);
    await answered.end(end("x"));
    mock.timers.tick(1);
    assert.deepEqual([reported, waiting.reply.gone, answered.reply.gone], [1, true, false]);
    waiting.reply.onGone(() => (reported += 1));
    assert.equal(reported, 2, "told at once, who asks later");
  } finally {
    mock.timers.reset();
  }
});
