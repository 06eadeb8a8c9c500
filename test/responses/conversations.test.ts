/**
 * Guarantee: a conversation goes on from a kept answer on any process as soon as that has ended, is
 * charged as if it had been sent whole, and says so on its receipt.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Gateway } from "../support/gateway-process.ts";
import {
  ask,
  openResponsesScene,
  OUTPUT_TOKENS,
  priceOf,
  sdk,
  textsOf,
  type ResponsesScene,
} from "./responses-scene.ts";
import { totals } from "../money/books.ts";

let scene: ResponsesScene;
let here: Gateway;
let there: Gateway;
before(async () => {
  scene = await openResponsesScene();
  [here, there] = await Promise.all([scene.gateway("here"), scene.gateway("there")]);
});
after(() => scene[Symbol.asyncDispose]());

/** The SDK's types do not have it. */
const isStored = (response: object): unknown => ("store" in response ? response.store : undefined);
const lastAsked = (): [string, string][] => textsOf(scene.asked.at(-1));

test("a streamed answer is gone on from on another process, at once, by its id alone", async () => {
  const customer = await scene.customer();
  scene.say("Blue.");
  const stream = sdk(here, customer).responses.stream({
    model: "talk",
    input: [
      { role: "developer", content: "Be short." },
      { role: "user", content: "What colour is the sky?" },
    ],
  });
  const first = await stream.finalResponse();
  assert.equal(first.output_text, "Blue.");
  assert.equal(isStored(first), true);
  scene.say("Why, indeed.");
  const second = await sdk(there, customer).responses.create({
    model: "talk",
    input: "Why?",
    previous_response_id: first.id,
  });
  assert.equal(second.previous_response_id, first.id);
  assert.deepEqual(lastAsked(), [
    ["system", "Be short."],
    ["user", "What colour is the sky?"],
    ["assistant", "Blue."],
    ["user", "Why?"],
  ]);
  await sdk(here, customer).responses.create({
    model: "talk",
    input: "And?",
    previous_response_id: second.id,
    store: false,
  });
  assert.deepEqual(lastAsked().slice(-3), [
    ["user", "Why?"],
    ["assistant", "Why, indeed."],
    ["user", "And?"],
  ]);
  const { chargedNano } = await totals(scene.db, customer.accountId);
  assert.equal(chargedNano, priceOf(2) + priceOf(4) + priceOf(6));
});

test("what was put before its input is on the receipt, and in its price", async () => {
  const customer = await scene.customer();
  const first = await ask(here, customer, "/v1/responses", { model: "talk", input: "One." });
  const second = await ask(there, customer, "/v1/responses", {
    model: "talk",
    input: "Two.",
    previous_response_id: first.json["id"],
  });
  const id = second.headers.get("x-request-id") ?? "";
  const { json } = await ask(here, customer, `/v1/requests/${id}`);
  assert.deepEqual(json["conversation"], { previousId: first.json["id"], replayedItems: 2 });
  assert.equal((json["usage"] as Record<string, unknown>)["inputTokens"], 30);
  const { json: before } = await ask(
    here,
    customer,
    `/v1/requests/${first.headers.get("x-request-id")}`,
  );
  assert.equal(before["conversation"], undefined);
});

test("a quote counts the conversation that the request would go on from", async () => {
  const customer = await scene.customer();
  const long = "A sentence with some words in it. ".repeat(200);
  const { json: first } = await ask(here, customer, "/v1/responses", {
    model: "talk",
    input: long,
  });
  const body = { model: "talk", input: "And?" };
  const alone = await ask(there, customer, "/v1/quote/responses", body);
  const on = await ask(there, customer, "/v1/quote/responses", {
    ...body,
    previous_response_id: first["id"],
  });
  const count = ({ json }: { json: Record<string, unknown> }): number =>
    (json["inputTokens"] as { counted: number }).counted;
  assert.ok(count(on) > count(alone) + 1_000, JSON.stringify([alone.json, on.json]));
});

test("a kept answer is given as it was, listed with what was sent for it, and deleted for good", async () => {
  const customer = await scene.customer();
  const client = sdk(there, customer);
  const input = ["One.", "Two.", "Three."].map((content) => ({ role: "user", content }) as const);
  const made = await sdk(here, customer).responses.create({ model: "talk", input });
  const found = await client.responses.retrieve(made.id);
  assert.deepEqual({ ...found, output_text: "" }, { ...made, output_text: "" });

  const contents: unknown[] = [];
  for await (const item of client.responses.inputItems.list(made.id, { limit: 2, order: "asc" }))
    contents.push("content" in item ? item.content : null);
  assert.deepEqual(contents, ["One.", "Two.", "Three."]);
  const newest = await ask(there, customer, `/v1/responses/${made.id}/input_items?limit=1`);
  const { data, has_more: more, first_id, last_id } = newest.json;
  const [item] = data as { id: string; content: string }[];
  assert.deepEqual([item?.content, more, first_id, last_id], ["Three.", true, item?.id, item?.id]);
  const beyond = await ask(there, customer, `/v1/responses/${made.id}/input_items?after=msg_never`);
  assert.equal(beyond.status, 400);

  await client.responses.delete(made.id);
  for (const path of ["", "/input_items"])
    assert.equal((await ask(here, customer, `/v1/responses/${made.id}${path}`)).status, 404);
  await assert.rejects(
    client.responses.create({ model: "talk", input: "And?", previous_response_id: made.id }),
    (error: { status?: number; code?: string; param?: string }) =>
      error.status === 400 &&
      error.code === "previous_response_not_found" &&
      error.param === "previous_response_id",
  );
});

test("an answer that was asked for with `store: false` is not kept", async () => {
  const customer = await scene.customer();
  const { json } = await ask(here, customer, "/v1/responses", {
    model: "talk",
    input: "One.",
    store: false,
  });
  assert.equal(json["store"], false);
  assert.equal((await ask(here, customer, `/v1/responses/${String(json["id"])}`)).status, 404);
});

test("items are put in where an input refers to them by id", async () => {
  const customer = await scene.customer();
  scene.say("Blue.");
  const first = await sdk(here, customer).responses.create({ model: "talk", input: "Which?" });
  const id = first.output[0]?.id ?? assert.fail("an item");
  await sdk(there, customer).responses.create({
    model: "talk",
    input: [
      { role: "user", content: "Which?" },
      { type: "item_reference", id },
      { role: "user", content: "Why?" },
    ],
  });
  assert.deepEqual(lastAsked(), [
    ["user", "Which?"],
    ["assistant", "Blue."],
    ["user", "Why?"],
  ]);
  const unknown = await ask(here, customer, "/v1/responses", {
    model: "talk",
    input: [{ type: "item_reference", id: "msg_never" }],
  });
  assert.equal(unknown.status, 404);
  assert.match(JSON.stringify(unknown.json), /Item with id 'msg_never' not found/);
});

test("a conversation cannot go on from the middle that was deleted, nor from what is over", async () => {
  const customer = await scene.customer();
  const turn = async (previous: string | null): Promise<string> => {
    const { json } = await ask(here, customer, "/v1/responses", {
      model: "talk",
      input: "On.",
      previous_response_id: previous,
    });
    return String(json["id"]);
  };
  const first = await turn(null);
  const second = await turn(first);
  const third = await turn(second);
  await ask(there, customer, `/v1/responses/${second}`, undefined, { method: "DELETE" });
  const refused = await ask(here, customer, "/v1/responses", {
    model: "talk",
    input: "On.",
    previous_response_id: third,
  });
  assert.equal(refused.status, 400);
  assert.ok(JSON.stringify(refused.json).includes(second));
  await scene.db.query(
    "UPDATE responses.responses SET expires_at = clock_timestamp() - interval '1 second' WHERE account_id = $1 AND response_id = $2",
    [customer.accountId, first],
  );
  assert.equal((await ask(here, customer, `/v1/responses/${first}`)).status, 404);
});

test("a conversation beyond its bounds is refused before anything of it is read", async () => {
  const customer = await scene.customer();
  const { json } = await ask(here, customer, "/v1/responses", { model: "talk", input: "One." });
  for (const bound of ["replayed_bytes = 33554433", "replayed_bytes = 1, turns = 1000"]) {
    await scene.db.query(
      `UPDATE responses.responses SET ${bound}, sealed_input = 'unread' WHERE account_id = $1`,
      [customer.accountId],
    );
    const refused = await ask(there, customer, "/v1/responses", {
      model: "talk",
      input: "On.",
      previous_response_id: json["id"],
    });
    assert.equal(refused.status, 413, JSON.stringify(refused.json));
  }
});

test("the same request by the same idempotency key gets the same kept answer, and pays once", async () => {
  const customer = await scene.customer();
  const headers = { "idempotency-key": "once" };
  const body = { model: "talk", input: "One.", stream: false };
  const first = await ask(here, customer, "/v1/responses", body, { headers });
  const again = await ask(there, customer, "/v1/responses", body, { headers });
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(again.json, first.json);
  assert.equal(first.json["store"], true);
  const found = await ask(there, customer, `/v1/responses/${String(first.json["id"])}`);
  assert.deepEqual(found.json, first.json);
  assert.equal((await totals(scene.db, customer.accountId)).chargedNano, priceOf(1));
});

test("a full account is answered and charged all the same, and told that nothing is kept", async () => {
  const customer = await scene.customer();
  await scene.db.query("INSERT INTO files.usage (account_id, bytes, files) VALUES ($1, $2, 1)", [
    customer.accountId,
    50 * 1024 ** 3 - 100,
  ]);
  const whole = await ask(here, customer, "/v1/responses", { model: "talk", input: "One." });
  assert.deepEqual([whole.status, whole.json["store"]], [200, false]);
  const streamed = await sdk(there, customer)
    .responses.stream({ model: "talk", input: "One." })
    .finalResponse();
  assert.equal(isStored(streamed), false);
  for (const id of [whole.json["id"], streamed.id])
    assert.equal((await ask(here, customer, `/v1/responses/${String(id)}`)).status, 404);
  const { chargedNano } = await totals(scene.db, customer.accountId);
  assert.equal(chargedNano, 2n * priceOf(1));
});

test("another account's answers, items and conversations are as those that never were", async () => {
  const [owner, stranger] = await Promise.all([scene.customer(), scene.customer()]);
  const made = await sdk(here, owner).responses.create({ model: "talk", input: "Mine." });
  const item = made.output[0]?.id ?? assert.fail("an item");
  const never = `resp_${"0".repeat(32)}`;
  const answers = async (response: string, itemId: string): Promise<unknown[]> => {
    const asks = [
      ask(there, stranger, `/v1/responses/${response}`),
      ask(there, stranger, `/v1/responses/${response}/input_items`),
      ask(there, stranger, `/v1/responses/${response}`, undefined, { method: "DELETE" }),
      ask(there, stranger, "/v1/responses", {
        model: "talk",
        input: "And?",
        previous_response_id: response,
      }),
      ask(there, stranger, "/v1/responses", {
        model: "talk",
        input: [{ type: "item_reference", id: itemId }],
      }),
    ];
    return (await Promise.all(asks)).map(({ status, json }) => [
      status,
      JSON.stringify(json).replaceAll(response, "ID").replaceAll(itemId, "ITEM"),
    ]);
  };
  const seen = await answers(made.id, item);
  assert.deepEqual(seen, await answers(never, "msg_never"));
  assert.deepEqual(
    (seen as [number, string][]).map(([status]) => status),
    [404, 404, 404, 400, 404],
  );
  assert.equal((await totals(scene.db, stranger.accountId)).chargedNano, 0n);
  assert.equal((await ask(here, owner, `/v1/responses/${made.id}`)).status, 200);
});

test("nothing of a conversation stands in the database in the clear", async () => {
  const customer = await scene.customer();
  const canaries = [
    "canary-of-the-input-5f1d",
    "canary-of-the-answer-77aa",
    "canary-of-the-rule-9c",
  ];
  const [input, answer, rule] = canaries as [string, string, string];
  scene.say(answer);
  const made = await sdk(here, customer).responses.create({
    model: "talk",
    instructions: rule,
    input,
    metadata: { canary: input },
  });
  scene.say("Blue.");
  await sdk(here, customer).responses.create({
    model: "talk",
    input: [{ role: "user", content: input }, { type: "compaction_trigger" } as never],
    previous_response_id: made.id,
  });
  const tables = await scene.db.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const spellings = canaries.flatMap((canary) => [
    canary,
    Buffer.from(canary).toString("hex"),
    Buffer.from(canary).toString("base64").slice(0, -4),
  ]);
  let kept = 0;
  for (const { name } of tables) {
    const rows = await scene.db.query<{ line: string }>(`SELECT t::text AS line FROM ${name} t`);
    if (name === "responses.responses") kept = rows.length;
    for (const { line } of rows)
      for (const spelling of spellings)
        assert.ok(!line.includes(spelling), `${name} has ${spelling}`);
  }
  assert.ok(kept >= 2);
  for (const gateway of [here, there])
    for (const canary of canaries) assert.ok(!gateway.output().includes(canary));
  const found = await sdk(there, customer).responses.retrieve(made.id);
  assert.deepEqual([found.instructions, found.output_text], [rule, answer]);
});

test("what it answers is what was charged", async () => {
  const customer = await scene.customer();
  const made = await sdk(here, customer).responses.create({ model: "talk", input: "One." });
  assert.equal(made.usage?.output_tokens, Number(OUTPUT_TOKENS));
  await scene.verifyLedger();
});
