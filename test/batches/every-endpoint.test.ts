/**
 * Guarantee: a line of any endpoint that a batch may be for is quoted, held and charged as a request
 * of that endpoint, times the price for batches where its model has one; and never beyond its quote.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BatchEndpoint } from "../../src/contract/enums/batch-endpoint.ts";
import type { BatchRecord } from "../../src/batches/batch-record.ts";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { explainReceipt } from "../../src/business/requests/explain-receipt.ts";
import { listRequests } from "../../src/usage/list-receipts.store.ts";
import { openBatchScene, type BatchCustomer, type BatchScene } from "./batch-scene.ts";
import { batchCatalogue, bodyAt, lineAt, readLines, requestLine } from "./batch-world.ts";
import { priceOf } from "./scripted-answers.ts";

let scene: BatchScene;
before(async () => {
  scene = await openBatchScene();
});
after(() => scene.close());

const receiptsOf = async ({ accountId }: BatchCustomer) => {
  const page = { accountId, cursor: null, limit: 100 };
  return (await listRequests(scene.db, page)).receipts;
};

interface ResultLine {
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly body: Record<string, unknown> };
}

const outputOf = async (who: BatchCustomer, { outputFileId }: BatchRecord) =>
  (await readLines(scene.worker, who.accountId, outputFileId)) as unknown as ResultLine[];

const errorsOf = async (who: BatchCustomer, { errorFileId }: BatchRecord) =>
  (await readLines(scene.worker, who.accountId, errorFileId)) as unknown as ResultLine[];

/** What of an answer says that it is one of this endpoint. */
const SHAPES: Readonly<Record<string, readonly [object: unknown, what: string]>> = {
  embeddings: ["list", "data"],
  completions: ["text_completion", "choices"],
  moderations: [undefined, "results"],
  responses: ["response", "output"],
};

for (const endpoint of ["embeddings", "completions", "moderations", "responses"] as const)
  test(`${endpoint}: the hold is the sum of the quotes, each line costs what it took at the price for batches, and its receipt explains that`, async () => {
    const who = await scene.customer();
    const prompts = ["a", "bb bb", "ccc ccc ccc"].map((prompt) => `${endpoint} ${prompt}`);
    let heldWhileRunning: Promise<{ held: bigint | undefined }> | undefined;
    scene.upstream.before = async () => {
      await (heldWhileRunning ??= scene.money(who));
    };
    const content = prompts.map((prompt) => lineAt(endpoint, prompt)).join("\n");
    const done = await scene.ended(await scene.create(who, content, { endpoint }));
    scene.upstream.before = () => undefined;
    assert.deepEqual([done.state, done.succeeded, done.errors], ["completed", 3, null]);
    const half = endpoint !== "moderations";
    const prices = prompts.map((prompt) => {
      const price = priceOf(prompt, endpoint);
      return half ? (price + 1n) / 2n : price;
    });
    const charged = prices.reduce((sum, price) => sum + price, 0n);
    assert.deepEqual(await scene.money(who), { charged, held: 0n });
    const held = (await heldWhileRunning)?.held ?? 0n;
    assert.ok(half ? held > charged && held < 20n * charged : held === charged, String(held));

    const receipts = await receiptsOf(who);
    assert.deepEqual(
      receipts.map(({ endpoint: at, state, detail }) => [at, state, detail["batch"]]),
      prompts.map(() => [endpoint, "completed", `batch_${done.batchId.replaceAll("-", "")}`]),
    );
    const reading = parseCatalogue(batchCatalogue(scene.upstream.url), { UPSTREAM_KEY: "x" });
    const list = { catalogue: reading.ok ? reading.catalogue : null } as never;
    for (const receipt of receipts)
      assert.equal(explainReceipt(list, receipt)?.priceNano, receipt.chargedNano);

    const [object, what] = SHAPES[endpoint] ?? [];
    const output = await outputOf(who, done);
    assert.deepEqual(
      output.map(({ custom_id: id, response }) => [
        id,
        response.status_code,
        response.body["object"],
        Array.isArray(response.body[what ?? ""]),
      ]),
      prompts.map((prompt) => [prompt, 200, object, true]),
    );
  });

test("what is not what its endpoint takes fails the line or the file, by name, and costs nothing", async () => {
  const who = await scene.customer();
  const at = (endpoint: BatchEndpoint) => ({ endpoint });
  const url = { url: "/v1/embeddings" };
  const wrongModel = requestLine("chat", { model: "cheap", input: "x" }, url);
  const failed = await scene.ended(await scene.create(who, wrongModel, at("embeddings")));
  assert.deepEqual([failed.state, failed.errors?.[0]?.code], ["failed", "wrong_endpoint"]);
  const lines = [
    requestLine("empty", { model: "vectors", input: [] }, url),
    requestLine("tier", { model: "vectors", input: "x", service_tier: "priority" }, url),
    lineAt("embeddings", "good vector"),
  ];
  const done = await scene.ended(await scene.create(who, lines.join("\n"), at("embeddings")));
  assert.deepEqual([done.state, done.succeeded, done.errored], ["completed", 1, 2]);
  const reported = await errorsOf(who, done);
  assert.deepEqual(
    reported.map(({ custom_id: id, response }) => [id, response.status_code]),
    [
      ["empty", 400],
      ["tier", 400],
    ],
  );
  const streamed = requestLine(
    "stream",
    { ...bodyAt("completions", "x"), stream: true },
    { url: "/v1/completions" },
  );
  const refused = await scene.ended(await scene.create(who, streamed, at("completions")));
  assert.deepEqual([refused.succeeded, refused.errored], [0, 1]);
  const price = (priceOf("good vector", "embeddings") + 1n) / 2n;
  assert.deepEqual(await scene.money(who), { charged: price, held: 0n });
});

test("responses: a line goes on from an answer that a line before was kept as, and what is replayed is charged with it", async () => {
  const who = await scene.customer();
  const endpoint = "responses";
  const first = await scene.ended(
    await scene.create(who, lineAt(endpoint, "my name is Ada"), { endpoint }),
  );
  const [answer] = await outputOf(who, first);
  const previous = answer?.response.body["id"];
  assert.ok(typeof previous === "string" && previous.startsWith("resp_"));
  const more = { previous_response_id: previous };
  const lines = [
    requestLine("goes on", { ...bodyAt(endpoint, "who am I"), ...more }, { url: "/v1/responses" }),
    requestLine(
      "lost",
      { ...bodyAt(endpoint, "who am I"), previous_response_id: "resp_1" },
      { url: "/v1/responses" },
    ),
  ];
  const done = await scene.ended(await scene.create(who, lines.join("\n"), { endpoint }));
  assert.deepEqual([done.succeeded, done.errored], [1, 1]);
  const [latest] = await receiptsOf(who);
  assert.deepEqual(latest?.detail["conversation"], { previousId: previous, replayedItems: 2 });
  const [lost] = await errorsOf(who, done);
  const error = lost?.response.body["error"] as { code: string } | undefined;
  assert.equal(error?.code, "previous_response_not_found");
});

test("a usage that cannot be true is charged by the count, within the quote of its line", async () => {
  const who = await scene.customer();
  const endpoint = "embeddings";
  scene.upstream.inflate = 1_000_000;
  const done = await scene.ended(
    await scene.create(who, lineAt(endpoint, "a few words"), { endpoint }),
  );
  scene.upstream.inflate = 1;
  assert.equal(done.state, "completed");
  const { charged, held } = await scene.money(who);
  const most = BigInt(Buffer.byteLength("a few words")) * 10_000n;
  assert.ok((charged ?? 0n) > 0n && (charged ?? 0n) <= most, String(charged));
  assert.equal(held, 0n);
});
