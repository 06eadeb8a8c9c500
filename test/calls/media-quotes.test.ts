/**
 * Guarantee: what a call for media costs is known before, by the very body that it would be made
 * with: the quote is what is held, keeps nothing, charges nothing and calls no upstream (contract §6).
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { formatRoubles, nano, parseRoubles } from "../../src/kernel/money.ts";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { filePart, multipartBody, multipartType, textPart } from "../support/multipart-body.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { until } from "../support/until.ts";
import { openTasksScene } from "../tasks/tasks-scene.ts";
import {
  answerWhole,
  mediaCatalogue,
  mediaKinds,
  SECONDS_OF_SOUND,
  type MediaKind,
} from "./media-kinds.ts";

let scene: ChatScene;
let folder: string;
let kinds: readonly MediaKind[];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "media-quotes-"));
  kinds = await mediaKinds();
  scene = await openChatScene({
    catalogue: mediaCatalogue,
    env: { STORAGE_URL: `file:${join(folder, "files")}` },
  });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
  await rm(folder, { recursive: true, force: true });
});

interface Quote {
  readonly model: string;
  readonly endpoint: string;
  readonly hold: string;
  readonly estimate: string;
  readonly lines: readonly { readonly what: string; readonly quantity: string }[];
  readonly available: string;
  readonly admitted: boolean;
  readonly refusal: { readonly code: string } | null;
}

const quoteOf = ({ status, body }: ChatAnswer): Quote => {
  assert.equal(status, 200, body.toString());
  return JSON.parse(body.toString()) as Quote;
};
const nanoOf = (roubles: string): bigint => {
  const nano = parseRoubles(roubles);
  assert.ok(nano !== null, roubles);
  return nano;
};

for (const name of ["embeddings", "images", "image edits", "speech, streamed", "transcripts"])
  test(`${name}: the quote is what is held then: exactly so much admits the request, and a quote keeps nothing`, async () => {
    const kind = kinds.find((each) => each.name === name);
    assert.ok(kind !== undefined);
    const play = scene.play((exchange) => answerWhole(exchange, kind));
    const { path, body, contentType } = kind.request(play.user);
    const headers = { "content-type": contentType };
    const ask = ({ secret }: ChatCustomer, to: string): Promise<ChatAnswer> =>
      postChat(scene.gateway.url, secret, body, to, headers).answer;
    const quotePath = path.replace("/v1/", "/v1/quote/");

    const rich = await scene.customer({ roubles: "10" });
    const quote = quoteOf(await ask(rich, quotePath));
    assert.equal(quote.endpoint, kind.endpoint);
    assert.deepEqual([quote.admitted, quote.refusal, quote.available], [true, null, "10"]);
    const { held, charged } = await scene.money(rich.accountId);
    assert.deepEqual([held, charged], [0n, 0n]);
    assert.deepEqual(await scene.receipts(rich.accountId, 0), []);
    assert.equal(play.requests.length, 0);
    await until("nothing of the form is kept", async () => {
      const files = await scene.db.query("SELECT FROM files.files WHERE account_id = $1", [
        rich.accountId,
      ]);
      return files.length === 0;
    });

    const holdNano = nanoOf(quote.hold);
    if (kind.priceNano !== null) assert.ok(holdNano >= kind.priceNano);
    // Near the end of the money tokens are counted, so that the estimate may be undercut.
    if (name !== "embeddings") {
      const short = await scene.customer({ roubles: formatRoubles(nano(holdNano - 1n)) });
      assert.equal((await ask(short, path)).status, 402);
      const { admitted, refusal } = quoteOf(await ask(short, quotePath));
      assert.deepEqual([admitted, refusal?.code], [false, "insufficient_balance"]);
    }
    const enough = await scene.customer({ roubles: quote.hold });
    assert.equal(quoteOf(await ask(enough, quotePath)).admitted, true);
    assert.equal((await ask(enough, path)).status, 200);
  });

test("a transcript's quote says its measured seconds; one that is not paid for is a quote with its refusal", async () => {
  const kind = kinds.find((each) => each.name === "transcripts");
  assert.ok(kind !== undefined);
  const customer = await scene.customer({ roubles: "0.001" });
  const { body, contentType } = kind.request("nobody");
  for (const way of ["transcriptions", "translations"]) {
    const path = `/v1/quote/audio/${way}`;
    const headers = { "content-type": contentType };
    const quote = quoteOf(
      await postChat(scene.gateway.url, customer.secret, body, path, headers).answer,
    );
    const [line] = quote.lines;
    assert.equal(line?.what, "second");
    const seconds = Number(line.quantity);
    assert.ok(seconds >= SECONDS_OF_SOUND && seconds < SECONDS_OF_SOUND * 1.1, line.quantity);
    assert.deepEqual([quote.admitted, quote.refusal?.code], [false, "insufficient_balance"]);
  }
});

test("what the request would be refused for, its quote is refused for", async () => {
  const { secret } = await scene.customer();
  const type = multipartType();
  const cases: readonly (readonly [path: string, body: unknown, status: number, words: RegExp])[] =
    [
      [
        "images/generations",
        { model: "paint", prompt: "a", size: "1x1", quality: "low" },
        400,
        /size/,
      ],
      ["images/generations", { model: "no-such", prompt: "a" }, 404, /no model/],
      ["images/generations", { prompt: "a" }, 400, /'model' is required/],
      ["images/edits", multipartBody([textPart("paint", "model")]), 400, /no 'image'/],
      ["audio/transcriptions", multipartBody([textPart("hear", "model")]), 400, /no 'file'/],
      [
        "audio/transcriptions",
        multipartBody([textPart("hear", "model"), filePart("no sound at all")]),
        400,
        /does not begin like/,
      ],
      ["audio/translations", { model: "hear" }, 415, /form/],
    ];
  for (const [path, body, status, words] of cases) {
    const headers = Buffer.isBuffer(body) ? { "content-type": type } : {};
    const to = `/v1/quote/${path}`;
    const answer = await postChat(scene.gateway.url, secret, body, to, headers).answer;
    const text = answer.body.toString();
    assert.equal(answer.status, status, `${path}: ${text}`);
    assert.match((JSON.parse(text) as { error: { message: string } }).error.message, words);
  }
  const unkept = await scene.db.query("SELECT FROM files.files WHERE state = 'stored'");
  assert.equal(unkept.length, 0);
});

test("at a task model the quote is the price of the task, by OpenAI's fields, for new images and for edits", async () => {
  await using tasks = await openTasksScene();
  await tasks.start();
  const customer = await tasks.customer();
  const body = { model: "nano-banana-2", prompt: "A cat.", size: "2048x2048" };
  const quoted = await customer.call("POST", "/v1/quote/images/generations", body);
  assert.equal(quoted.status, 200, quoted.text);
  const quote = JSON.parse(quoted.text) as Quote & { readonly input: Record<string, unknown> };
  assert.deepEqual([quote.input["resolution"], quote.input["aspectRatio"]], ["2K", "1:1"]);
  assert.equal(quote.hold, quote.estimate);
  const made = await customer.call("POST", "/v1/images/generations", body);
  assert.equal(made.headers.get("x-tollgate-cost"), quote.hold);

  const picture = await sharp({
    create: { width: 800, height: 600, channels: 3, background: "#3a7" },
  })
    .png()
    .toBuffer();
  const form = (): FormData => {
    const sent = new FormData();
    sent.set("model", "seedream/4.5-edit");
    sent.set("prompt", "A hat.");
    sent.set("image", new Blob([new Uint8Array(picture)]), "a.png");
    return sent;
  };
  const post = (path: string): Promise<Response> =>
    fetch(`${tasks.url}${path}`, {
      method: "POST",
      headers: { "x-api-key": customer.secret },
      body: form(),
    });
  const edit = await post("/v1/quote/images/edits");
  const text = await edit.text();
  assert.equal(edit.status, 200, text);
  const { data } = await customer.call<{ files: { origin: string }[] }>("GET", "/v1/storage/files");
  assert.deepEqual(
    data.files.filter(({ origin }) => origin === "upload"),
    [],
    "what was quoted is not kept",
  );
  const edited = await post("/v1/images/edits");
  assert.equal(edited.status, 200, await edited.clone().text());
  assert.equal(edited.headers.get("x-tollgate-cost"), (JSON.parse(text) as Quote).hold);
  await tasks.assertBooks();
});
