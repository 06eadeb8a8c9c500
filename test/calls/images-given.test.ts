/**
 * Guarantee: images reach their caller as base64 or as files of ours, however an upstream of
 * OpenAI's form gives them, and reach it as a form, however the caller names them; an address leads
 * where the guard lets it, and what cannot be had costs nothing.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { createGate, type Exchange, type Handler } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";

let scene: ChatScene;
let folder: string;
let picture: Buffer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "images-given-"));
  picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: "#3a7" } })
    .png()
    .toBuffer();
  const price = '{ image: { by: [size, quality], values: { 1024x1024: { low: "0.5" } } } }';
  scene = await openChatScene({
    catalogue: (url) => `
upstreams:
  near: { protocol: openai, baseUrl: "${url}/v1", apiKeyEnv: UPSTREAM_KEY, resultHosts: ["${new URL(url).host}"] }
models:
  paint: { type: image, price: ${price}, routes: [ { upstream: near, model: up-paint } ] }
  paint-tokens: { type: image, price: { input: "500", imageInput: "1000", output: "4000" }, routes: [ { upstream: near, model: up-paint } ] }
`,
    env: { STORAGE_URL: `file:${join(folder, "files")}` },
  });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
  await rm(folder, { recursive: true, force: true });
});

const PRICE = 500_000_000n;
const ASKED = { model: "paint", prompt: "A fox.", size: "1024x1024", quality: "low" };

function ask(
  { secret }: ChatCustomer,
  body: object,
  { path = "/v1/images/generations", headers = {} } = {},
): Promise<ChatAnswer> {
  return postChat(scene.gateway.url, secret, body, path, headers).answer;
}

interface Images {
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[];
}
const imagesOf = ({ status, body }: ChatAnswer): Images["data"] => {
  assert.equal(status, 200, body.toString());
  return (JSON.parse(body.toString()) as Images).data;
};
const errorOf = ({ body }: ChatAnswer): { message: string; param: string | null; code: string } =>
  (JSON.parse(body.toString()) as { error: { message: string; param: string; code: string } })
    .error;

async function give(exchange: Exchange, bytes: Buffer, type = "image/png"): Promise<void> {
  exchange.head(200, { "content-type": type, "content-length": bytes.length });
  await exchange.send(bytes);
  exchange.end();
}

/** Answers by address; the address is another request of the same play. */
function byAddress(given: Handler = (exchange) => give(exchange, picture)): Handler {
  return (exchange) => {
    if (exchange.request.method === "GET") return given(exchange);
    const { user } = exchange.request.json() as { user: string };
    const url = `${scene.upstream.url}/${user}.png`;
    exchange.json(200, { created: 1, data: [{ url, revised_prompt: "A red fox." }] });
  };
}

test("an image that is answered by address although its bytes were asked for is fetched: base64 by default, a file of ours by address", async () => {
  const customer = await scene.customer();
  const play = scene.play(byAddress());
  const [image] = imagesOf(await ask(customer, { ...ASKED, user: play.user }));
  assert.deepEqual(image, { revised_prompt: "A red fox.", b64_json: picture.toString("base64") });
  const sent = (await play.asked).json() as Record<string, unknown>;
  assert.equal(sent["response_format"], "b64_json");
  assert.equal(play.requests[1]?.headers["authorization"], undefined, "no credential goes along");
  const stored = imagesOf(
    await ask(customer, { ...ASKED, user: play.user, response_format: "url" }),
  )[0];
  assert.match(stored?.url ?? "", /\/static\/[0-9a-z]{32}\.png$/);
  const file = Buffer.from(await (await fetch(stored?.url ?? "")).arrayBuffer());
  assert.deepEqual(file, picture);
  assert.equal((await scene.money(customer.accountId)).charged, 2n * PRICE);
});

test("an image in its own address is taken out of it", async () => {
  const customer = await scene.customer();
  const { user } = scene.play((exchange) =>
    exchange.json(200, {
      created: 1,
      data: [{ url: `data:image/png;base64,${picture.toString("base64")}` }],
    }),
  );
  const [image] = imagesOf(await ask(customer, { ...ASKED, user }));
  assert.deepEqual(image, { b64_json: picture.toString("base64") });
});

const UNHAD: readonly (readonly [what: string, handler: Handler, words: RegExp])[] = [
  [
    "a private address",
    (exchange) => exchange.json(200, { data: [{ url: "http://10.0.0.1/a.png" }] }),
    /could not be fetched/,
  ],
  [
    "another scheme",
    (exchange) => exchange.json(200, { data: [{ url: "file:///etc/passwd" }] }),
    /could not be fetched/,
  ],
  ["nothing there", byAddress((exchange) => exchange.json(404, {})), /another status than 200/],
  [
    "no image there",
    byAddress((exchange) => give(exchange, Buffer.from("<html>hello</html>"))),
    /no image at that URL/,
  ],
  [
    "half an answer",
    byAddress(async (exchange) => {
      exchange.head(200, { "content-type": "image/png", "content-length": picture.length });
      await exchange.send(picture.subarray(0, 20));
      exchange.destroy();
    }),
    /could not be fetched/,
  ],
];

for (const [what, handler, words] of UNHAD)
  test(`an image that cannot be had (${what}) is said so, and costs nothing`, async () => {
    const customer = await scene.customer();
    const { user } = scene.play(handler);
    const answer = await ask(customer, { ...ASKED, user });
    assert.equal(answer.status, 502, answer.body.toString());
    assert.match(errorOf(answer).message, words);
    const [receipt] = await scene.receipts(customer.accountId, 1);
    assert.deepEqual([receipt?.state, receipt?.chargedNano], ["failed", 0n]);
    assert.deepEqual((await scene.money(customer.accountId)).held, 0n);
  });

test("who leaves while an image is fetched pays nothing, and the fetch ends", async () => {
  const customer = await scene.customer();
  const fetching = createGate();
  const fetchEnded = createGate();
  const { user } = scene.play(
    byAddress(async (exchange) => {
      exchange.head(200, { "content-type": "image/png", "content-length": picture.length });
      await exchange.send(picture.subarray(0, 20));
      fetching.open();
      await exchange.hang();
      fetchEnded.open();
    }),
  );
  const path = "/v1/images/generations";
  const exchange = postChat(scene.gateway.url, customer.secret, { ...ASKED, user }, path);
  exchange.answer.catch(() => undefined);
  await fetching.wait;
  exchange.leave();
  await fetchEnded.wait;
  const [receipt] = await scene.receipts(customer.accountId, 1);
  assert.deepEqual([receipt?.state, receipt?.chargedNano], ["client_gone", 0n]);
});

test("by address and an idempotency key: the same file, stored once, charged once", async () => {
  const customer = await scene.customer();
  const play = scene.play((exchange) =>
    exchange.json(200, { created: 1, data: [{ b64_json: picture.toString("base64") }] }),
  );
  const body = { ...ASKED, user: play.user, response_format: "url" };
  const headers = { "idempotency-key": "poster" };
  const first = await ask(customer, body, { headers });
  const second = await ask(customer, body, { headers });
  imagesOf(first);
  assert.deepEqual(second.body, first.body);
  assert.equal(play.requests.length, 1);
  const files = await scene.db.query("SELECT FROM files.files WHERE account_id = $1", [
    customer.accountId,
  ]);
  assert.equal(files.length, 1);
  assert.equal((await scene.money(customer.accountId)).charged, PRICE);
});

test("partial images pass as they come, each event to the byte, and the usage at the end is charged", async () => {
  const customer = await scene.customer();
  const usage = {
    total_tokens: 1066,
    input_tokens: 10,
    output_tokens: 1056,
    input_tokens_details: { text_tokens: 10, image_tokens: 0 },
  };
  const base64 = picture.toString("base64");
  const event = (data: { type: string }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const partial = (index: number) =>
    event({
      type: "image_generation.partial_image",
      ...{ b64_json: base64, partial_image_index: index },
    });
  const events = [
    partial(0),
    partial(1),
    event({ type: "image_generation.completed", ...{ b64_json: base64, usage } }),
  ];
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(events);
    exchange.end();
  });
  const body = { ...ASKED, model: "paint-tokens", stream: true, partial_images: 2 };
  const answer = await ask(customer, { ...body, user: play.user });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.toString(), events.join(""));
  const sent = (await play.asked).json() as Record<string, unknown>;
  assert.deepEqual([sent["stream"], sent["partial_images"]], [true, 2]);
  assert.equal(
    (await scene.money(customer.accountId)).charged,
    (10n * 500n + 1056n * 4000n) * 1000n,
  );
  const refused = await ask(customer, { ...body, response_format: "url", user: play.user });
  assert.deepEqual([refused.status, errorOf(refused).param], [400, "response_format"]);
});

const EDITS = { path: "/v1/images/edits" };

async function upload({ secret }: ChatCustomer): Promise<string> {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(picture)]), "cat.png");
  const response = await fetch(`${scene.gateway.url}/v1/storage/upload`, {
    method: "POST",
    headers: { "x-api-key": secret },
    body: form,
  });
  return ((await response.json()) as { data: { url: string } }).data.url;
}

test("an edit in JSON is the form that it stands for: images by address of ours, in the address itself, with a mask", async () => {
  const customer = await scene.customer();
  const play = scene.play((exchange) =>
    exchange.json(200, { created: 1, data: [{ b64_json: picture.toString("base64") }] }),
  );
  const inIt = `data:image/png;base64,${picture.toString("base64")}`;
  const body = {
    ...ASKED,
    n: 1,
    images: [{ image_url: await upload(customer) }, { image_url: inIt }],
    mask: { image_url: inIt },
    user: play.user,
    background: null,
  };
  imagesOf(await ask(customer, body, EDITS));
  const [sent] = play.requests;
  assert.ok(sent !== undefined);
  assert.match(sent.headers["content-type"] ?? "", /^multipart\/form-data/);
  const text = sent.body.toString("latin1");
  const names = [...text.matchAll(/; name="([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(
    names.toSorted(),
    [
      ...["image[]", "image[]", "mask"],
      ...["model", "n", "prompt", "quality", "response_format", "size", "user"],
    ].toSorted(),
  );
  assert.equal(text.split(picture.toString("latin1")).length - 1, 3, "each image to the byte");
  assert.equal((await scene.money(customer.accountId)).charged, PRICE);
  await until("only what was uploaded for itself is kept", async () => {
    const kept = await scene.db.query(
      "SELECT FROM files.files WHERE account_id = $1 AND state <> 'deleted'",
      [customer.accountId],
    );
    return kept.length === 1;
  });
});

test("an edit in JSON whose images cannot be had is refused by name, and costs nothing", async () => {
  const customer = await scene.customer();
  const one = (image: unknown) => ({ ...ASKED, images: [image], user: "nobody" });
  const cases: readonly (readonly [body: object, param: string, words: RegExp])[] = [
    [one({ image_url: "http://10.0.0.1/a.png" }), "images[0].image_url", /./],
    [one({ image_url: "ftp://a.example/a.png" }), "images[0].image_url", /./],
    [one({ image_url: 7 }), "images[0].image_url", /must be the address/],
    [one({ image_url: "data:image/png;base64,AAAA" }), "images[0].image_url", /begin like/],
    [one({ file_id: "file-abc" }), "images[0].file_id", /POST \/v1\/storage\/upload/],
    [one(`${scene.gateway.url}/static/${"0".repeat(32)}.png`), "images[0].image_url", /./],
    [{ ...ASKED, images: [] }, "image", /no 'image'/],
    [
      { ...ASKED, images: Array.from({ length: 17 }, () => "https://a.example/a.png") },
      "images",
      /16/,
    ],
    [{ ...ASKED, images: [], metadata: {} }, "metadata", /must be a text/],
  ];
  for (const [body, param, words] of cases) {
    const answer = await ask(customer, body, EDITS);
    assert.equal(answer.status, 400, answer.body.toString());
    const error = errorOf(answer);
    assert.equal(error.param, param, error.message);
    assert.match(error.message, words);
  }
  const { charged, held } = await scene.money(customer.accountId);
  assert.deepEqual([charged, held], [0n, 0n]);
});
