/**
 * Guarantee: what has not run within the day does not run and costs nothing; a deleted key stops no
 * batch that was admitted and admits none; no file, however made, takes the process down or runs
 * unpaid.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BatchRecord } from "../../src/batches/batch-record.ts";
import { deleteKey } from "../../src/business/keys/delete-key.ts";
import { MOST_LINES } from "../../src/serving/batches/batch-limits.ts";
import { until } from "../support/until.ts";
import { openBatchScene, type BatchScene } from "./batch-scene.ts";
import { chatBody, readLines, requestLine } from "./batch-world.ts";
import { priceOf } from "./scripted-answers.ts";

let scene: BatchScene;
before(async () => {
  scene = await openBatchScene();
});
after(() => scene.close());

/** As if its day were over. */
const expire = ({ batchId }: BatchRecord) =>
  scene.db.query("UPDATE batches.batches SET expires_at = now() WHERE batch_id = $1", [batchId]);

test("while something more pressing is to be done no line begins; what has not run when the day is over is expired, in the error file, and free", async () => {
  const who = await scene.customer();
  scene.pressing = true;
  const prompts = ["late 1", "late 2", "late 3"];
  const batch = await scene.create(
    who,
    prompts.map((prompt) => requestLine(prompt, chatBody(prompt))).join("\n"),
  );
  await scene.reached(batch, ({ state }) => state === "in_progress");
  assert.ok(((await scene.money(who)).held ?? 0n) > 0n);
  await expire(batch);
  const done = await scene.ended(batch);
  scene.pressing = false;
  assert.deepEqual(
    [done.state, done.succeeded, done.expired, done.outputFileId],
    ["expired", 0, 3, null],
  );
  const errors = (await readLines(scene.worker, who.accountId, done.errorFileId)) as {
    custom_id: string;
    response: null;
    error: { code: string };
  }[];
  assert.deepEqual(
    errors.map(({ custom_id: id, response, error }) => [id, response, error.code]),
    prompts.map((prompt) => [prompt, null, "batch_expired"]),
  );
  assert.deepEqual(await scene.money(who), { charged: 0n, held: 0n });
  assert.equal(scene.upstream.asked.has("late 1"), false);
});

test("of a batch whose day is over in the middle, what is under way ends and is charged, the rest is expired", async () => {
  const who = await scene.customer();
  const gate = Promise.withResolvers<void>();
  scene.upstream.before = (prompt) => (prompt.startsWith("half") ? gate.promise : undefined);
  const prompts = Array.from({ length: 20 }, (_, n) => `half ${n}`);
  const batch = await scene.create(
    who,
    prompts.map((prompt) => requestLine(prompt, chatBody(prompt))).join("\n"),
  );
  await until("the first lines", async () => scene.upstream.asked.has("half 7"));
  await expire(batch);
  gate.resolve();
  const done = await scene.ended(batch);
  scene.upstream.before = () => undefined;
  const ran = prompts.filter((prompt) => scene.upstream.asked.has(prompt));
  assert.deepEqual(
    [done.state, done.succeeded, done.expired],
    ["expired", ran.length, 20 - ran.length],
  );
  assert.deepEqual(await scene.money(who), {
    charged: ran.reduce((sum, prompt) => sum + (priceOf(prompt) + 1n) / 2n, 0n),
    held: 0n,
  });
});

test("a key that is deleted stops no batch that was admitted, and one that is not admitted yet fails", async () => {
  const who = await scene.customer();
  scene.pressing = true;
  const line = (prompt: string): string => requestLine(prompt, chatBody(prompt));
  const admitted = await scene.create(who, line("admitted"));
  await scene.reached(admitted, ({ state }) => state === "in_progress");
  await deleteKey(scene.db, { hash: who.key.hash });
  const late = await scene.create(who, line("too late"));
  const refused = await scene.ended(late);
  assert.deepEqual([refused.state, refused.errors?.[0]?.code], ["failed", "invalid_api_key"]);
  scene.pressing = false;
  assert.equal((await scene.ended(admitted)).state, "completed");
  assert.deepEqual(await scene.money(who), { charged: priceOf("admitted") / 2n, held: 0n });
});

test("a key that may not call a model, and one at its spend limit, admit nothing", async () => {
  const bound = await scene.customer({ key: { models: ["plain"] } });
  const refused = await scene.ended(
    await scene.create(bound, requestLine("a", chatBody("x", "cheap"))),
  );
  assert.deepEqual(
    refused.errors?.map(({ code, line }) => [code, line]),
    [["permission_denied", 1]],
  );
  const poor = await scene.customer({
    key: { limit: { amountNano: 1_000n as never, period: "total" } },
  });
  const short = await scene.ended(await scene.create(poor, requestLine("a", chatBody("x"))));
  assert.deepEqual([short.state, short.errors?.[0]?.code], ["failed", "key_limit_exceeded"]);
});

test("a line that asks for a tier, for a stream, or for what has no price fails alone and is free", async () => {
  const who = await scene.customer();
  const lines = [
    requestLine("tier", { ...chatBody("x"), service_tier: "priority" }),
    requestLine("stream", { ...chatBody("x"), stream: true }),
    requestLine("search", { ...chatBody("x"), web_search_options: {} }),
    requestLine("auto", { ...chatBody("good one"), service_tier: "auto" }),
  ];
  const done = await scene.ended(await scene.create(who, lines.join("\n")));
  assert.deepEqual([done.state, done.succeeded, done.errored], ["completed", 1, 3]);
  const errors = (await readLines(scene.worker, who.accountId, done.errorFileId)) as {
    custom_id: string;
    response: { status_code: number; body: { error: { param: string } } };
  }[];
  assert.deepEqual(
    errors.map(({ custom_id: id, response }) => [
      id,
      response.status_code,
      response.body.error.param,
    ]),
    [
      ["tier", 400, "service_tier"],
      ["stream", 400, "stream"],
      ["search", 400, "web_search_options"],
    ],
  );
  assert.deepEqual(await scene.money(who), { charged: priceOf("good one") / 2n, held: 0n });
});

const DEEP = `{"a":${"[".repeat(300)}${"]".repeat(300)}}`;
const good = requestLine("good", chatBody("x"));

const HOSTILE: readonly (readonly [name: string, content: string | Buffer, code: string])[] = [
  ["nothing but empty lines", "\n\n\r\n", "empty_file"],
  ["a line without an end that is too long", Buffer.alloc(9 * 1024 * 1024, 97), "line_too_long"],
  ["zeros", Buffer.alloc(100), "invalid_json_line"],
  ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), "invalid_json_line"],
  ["a list", "[1,2]", "invalid_json_line"],
  ["too deep", DEEP, "invalid_json_line"],
  ["half a line", good.slice(0, -5), "invalid_json_line"],
  ["a body twice", good.replace(/}$/, `,"body":{"model":"cheap"}}`), "invalid_request"],
  ["another spelling", good.replace('"body"', '"Body"'), "invalid_request"],
  ["a body that is a text", requestLine("a", "x" as never), "invalid_body"],
  ["a name that is a number", requestLine(1 as never, chatBody("x")), "invalid_custom_id"],
  ["a name with a NUL", requestLine("a\0b", chatBody("x")), "invalid_custom_id"],
  ["a name without an end", requestLine("n".repeat(600), chatBody("x")), "invalid_custom_id"],
  [
    "a path of ours",
    requestLine("a", chatBody("x"), { url: "/v1/batches" }),
    "mismatched_endpoint",
  ],
  ["a prototype", good.replace(/^{/, '{"__proto__":{"url":"/x"},'), "none"],
  [
    "messages in a file of chats",
    requestLine("a", chatBody("x"), { url: "/v1/messages" }),
    "mismatched_endpoint",
  ],
];

for (const [name, content, code] of HOSTILE)
  test(`hostile: ${name}`, async () => {
    const who = await scene.customer();
    const done = await scene.ended(await scene.create(who, content));
    if (code === "none") assert.equal(done.state, "completed");
    else assert.deepEqual([done.state, done.errors?.[0]?.code], ["failed", code]);
    assert.equal((await scene.money(who)).held, 0n);
  });

test(`hostile: one line more than ${MOST_LINES}`, async () => {
  const who = await scene.customer();
  const body = JSON.stringify(chatBody("x"));
  const line = (n: number): string =>
    `{"custom_id":"${n}","method":"POST","url":"/v1/chat/completions","body":${body}}`;
  const content = Array.from({ length: MOST_LINES + 1 }, (_, n) => line(n)).join("\n");
  const done = await scene.ended(await scene.create(who, content));
  assert.deepEqual(
    [done.state, done.errors?.map((mistake) => mistake.code)],
    ["failed", ["too_many_requests"]],
  );
});

test("of very many mistakes the first hundred are told", async () => {
  const who = await scene.customer();
  const done = await scene.ended(await scene.create(who, "{\n".repeat(5_000)));
  assert.deepEqual([done.state, done.errors?.length], ["failed", 100]);
});
