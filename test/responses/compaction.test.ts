/**
 * Guarantee: any model sums a conversation up for its price; the summary is one item that only its
 * account can use, and takes the place of all before it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { totals } from "../money/books.ts";
import type { Gateway } from "../support/gateway-process.ts";
import {
  ask,
  openResponsesScene,
  priceOf,
  sdk,
  textsOf,
  type Customer,
  type ResponsesScene,
} from "./responses-scene.ts";

const TRIGGER = { type: "compaction_trigger" };
const HISTORY = [
  { role: "developer", content: "Be short." },
  { role: "user", content: "What colour is the sky?" },
  { role: "assistant", content: "Blue." },
];
const SUMMARY = "The sky is blue; brevity is wished for.";

let scene: ResponsesScene;
let here: Gateway;
let there: Gateway;
before(async () => {
  scene = await openResponsesScene();
  [here, there] = await Promise.all([scene.gateway("here"), scene.gateway("there")]);
});
after(() => scene[Symbol.asyncDispose]());

interface Item {
  readonly id: string;
  readonly type: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly encrypted_content?: string;
}

const outputOf = (json: Record<string, unknown>): Item[] => json["output"] as Item[];

async function summed(customer: Customer, body: Record<string, unknown> = {}): Promise<Item> {
  scene.say(SUMMARY);
  const { status, json } = await ask(here, customer, "/v1/responses", {
    model: "talk",
    input: [...HISTORY, TRIGGER],
    store: false,
    ...body,
  });
  assert.equal(status, 200, JSON.stringify(json));
  const output = outputOf(json);
  assert.deepEqual(
    output.map(({ type }) => type),
    ["compaction"],
  );
  return output[0] ?? assert.fail();
}

test("a trigger gives one sealed item, for the price of an ordinary request", async () => {
  const customer = await scene.customer();
  const item = await summed(customer, {
    tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
    text: { format: { type: "json_object" } },
  });
  const asked = textsOf(scene.asked.at(-1));
  assert.deepEqual(asked.slice(0, 3), [
    ["system", "Be short."],
    ["user", "What colour is the sky?"],
    ["assistant", "Blue."],
  ]);
  assert.match(asked[3]?.[1] ?? "", /summary/);
  assert.ok(!JSON.stringify(item).includes("sky"));
  assert.equal((await totals(scene.db, customer.accountId)).chargedNano, priceOf(4));
});

test("streamed, the item comes whole, between a proper beginning and a proper end", async () => {
  const customer = await scene.customer();
  scene.say(SUMMARY);
  const stream = await sdk(here, customer).responses.create({
    model: "talk",
    stream: true,
    store: false,
    input: [...HISTORY, TRIGGER] as never,
  });
  const types: string[] = [];
  const numbers: number[] = [];
  for await (const event of stream) {
    types.push(event.type);
    numbers.push(event.sequence_number);
    assert.ok(!JSON.stringify(event).includes("brevity"), event.type);
  }
  assert.deepEqual(types, [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.output_item.done",
    "response.completed",
  ]);
  assert.deepEqual(numbers, [0, 1, 2, 3, 4]);
});

test("the item is context of a later input, on any process, for its account alone", async () => {
  const [owner, stranger] = await Promise.all([scene.customer(), scene.customer()]);
  const item = await summed(owner);
  const input = [{ role: "user", content: "Before." }, item, { role: "user", content: "Why?" }];
  const on = { model: "talk", input, store: false };
  assert.equal((await ask(there, owner, "/v1/responses", on)).status, 200);
  const asked = textsOf(scene.asked.at(-1));
  assert.deepEqual([asked.length, asked[0], asked[2]], [3, ["user", "Before."], ["user", "Why?"]]);
  assert.deepEqual([asked[1]?.[0], asked[1]?.[1].endsWith(SUMMARY)], ["user", true]);

  const calls = scene.asked.length;
  const sealed = item.encrypted_content ?? "";
  const tampered = sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA");
  for (const [who, encrypted_content] of [
    [stranger, sealed],
    [owner, tampered],
    [owner, "gAAAAABm-what-a-vendor-sealed"],
  ] as const) {
    const refused = await ask(there, who, "/v1/responses", {
      model: "talk",
      input: [{ ...item, encrypted_content }],
    });
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.json), /was not made here for this account/);
  }
  assert.equal(scene.asked.length, calls);
  assert.equal((await totals(scene.db, stranger.accountId)).chargedNano, 0n);
});

test("a conversation by ids goes on from its summary and its instructions, without what it sums up", async () => {
  const customer = await scene.customer();
  const client = sdk(here, customer);
  scene.say("Blue.");
  const first = await client.responses.create({
    model: "talk",
    input: HISTORY.slice(0, 2) as never,
  });
  scene.say(SUMMARY);
  const compacted = await client.responses.create({
    model: "talk",
    input: [TRIGGER] as never,
    previous_response_id: first.id,
  });
  assert.equal(textsOf(scene.asked.at(-1)).length, 4);
  await client.responses.delete(first.id);
  await sdk(there, customer).responses.create({
    model: "talk",
    input: "Why?",
    previous_response_id: compacted.id,
  });
  const asked = textsOf(scene.asked.at(-1));
  assert.deepEqual(
    asked.map(([role]) => role),
    ["system", "user", "user"],
  );
  assert.deepEqual([asked[0]?.[1], asked[2]?.[1]], ["Be short.", "Why?"]);
  assert.ok(asked[1]?.[1].endsWith(SUMMARY));
});

test("POST /v1/responses/compact gives what was asked, and behind it the summary", async () => {
  const customer = await scene.customer();
  scene.say(SUMMARY);
  const { status, json, headers } = await ask(here, customer, "/v1/responses/compact", {
    model: "talk",
    input: HISTORY,
  });
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json["object"], "response.compaction");
  const output = outputOf(json);
  assert.deepEqual(
    output.map(({ type, role }) => role ?? type),
    ["developer", "user", "compaction"],
  );
  const usage = json["usage"] as Record<string, unknown>;
  assert.deepEqual([usage["input_tokens"], usage["output_tokens"]], [40, 7]);
  assert.equal((await totals(scene.db, customer.accountId)).chargedNano, priceOf(4));
  const receipt = await ask(here, customer, `/v1/requests/${headers.get("x-request-id")}`);
  assert.deepEqual(receipt.json["conversation"], { compaction: true });

  await ask(there, customer, "/v1/responses", {
    model: "talk",
    input: [...output, { role: "user", content: "Why?" }],
  });
  const asked = textsOf(scene.asked.at(-1));
  assert.deepEqual([asked.length, asked.at(-1)], [4, ["user", "Why?"]]);

  const refused = await ask(here, customer, "/v1/responses/compact", { model: "talk", input: 5 });
  assert.equal(refused.status, 400);
});

test("its price is known before: the quote counts the whole conversation and the wish", async () => {
  const customer = await scene.customer();
  const long = { role: "user", content: "A sentence with some words in it. ".repeat(200) };
  const quote = async (input: unknown): Promise<number> => {
    const { status, json } = await ask(here, customer, "/v1/quote/responses", {
      model: "talk",
      input,
    });
    assert.equal(status, 200, JSON.stringify(json));
    return (json["inputTokens"] as { counted: number }).counted;
  };
  assert.ok((await quote([long, TRIGGER])) > (await quote([long])));
});

test("a model that says nothing has summed nothing up, and its caller is told", async () => {
  const customer = await scene.customer();
  scene.say(" ");
  const { status, json } = await ask(here, customer, "/v1/responses", {
    model: "talk",
    input: [...HISTORY, TRIGGER],
  });
  assert.equal(status, 502);
  assert.match(JSON.stringify(json), /gave no summary/);
  await scene.verifyLedger();
});
