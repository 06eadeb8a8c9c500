/**
 * Guarantee: the official SDKs make and edit images over task models as over OpenAI's own, get the
 * bytes that were made, and pay what was quoted, once.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateImage } from "ai";
import OpenAI, { toFile } from "openai";
import sharp from "sharp";
import type { TaskView } from "../../src/serving/tasks/task-view.ts";
import { until } from "../support/until.ts";
import { openTasksScene, type TaskCustomer, type TasksScene } from "../tasks/tasks-scene.ts";

let scene: TasksScene;
let customer: TaskCustomer;
let client: OpenAI;
before(async () => {
  scene = await openTasksScene();
  await scene.start();
  customer = await scene.customer();
  client = new OpenAI({ apiKey: customer.secret, baseURL: `${scene.url}/v1`, maxRetries: 0 });
});
after(() => scene[Symbol.asyncDispose]());

const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 800, height: 600, channels: 3, background: "#3a7" } })
    .png()
    .toBuffer();
const pictureFile = async (name: string): Promise<File> =>
  toFile(await picture(), name, { type: "image/png" });

async function sizeOf(bytes: Uint8Array): Promise<string> {
  const { width, height } = await sharp(bytes).metadata();
  // Decoded whole: a cut picture fails here.
  await sharp(bytes).stats();
  return `${width}x${height}`;
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function taskOf(headers: Headers): Promise<TaskView> {
  const taskId = headers.get("x-tollgate-task");
  assert.ok(taskId !== null, "the answer names its task");
  return customer.read(taskId);
}

async function quoteOf(model: string, body: object): Promise<string> {
  const quote = await customer.call<{ amount: string }>("POST", `/v1/quote/tasks/${model}`, body);
  return quote.data.amount;
}

test("images.generate: the bytes as base64, as GPT image models answer, in the size that was asked for, at the quoted price", async () => {
  const before = Number((await customer.money()).charged);
  const { data, response } = await client.images
    .generate({ model: "nano-banana-2", prompt: "A cat on a mat.", size: "1024x1024" })
    .withResponse();
  const bytes = Buffer.from(data.data?.[0]?.b64_json ?? "", "base64");
  assert.equal(await sizeOf(bytes), "1024x1024");
  assert.deepEqual([data.size, data.output_format], ["1024x1024", "jpeg"]);
  assert.ok(Math.abs(data.created * 1000 - Date.now()) < 60_000);
  const amount = await quoteOf("nano-banana-2", { prompt: "A cat.", aspectRatio: "1:1" });
  assert.equal(response.headers.get("x-tollgate-cost"), amount);
  const task = await taskOf(response.headers);
  assert.deepEqual(
    [task.state, task.cost.state, task.cost.amount, task.input["aspectRatio"]],
    ["completed", "charged", amount, "1:1"],
  );
  const [file] = task.result?.files ?? [];
  const stored = Buffer.from(await (await fetch(file?.url ?? "")).arrayBuffer());
  assert.equal(sha256(bytes), sha256(stored), "base64 is the stored file to the byte");
  assert.equal(Number((await customer.money()).charged) - before, Number(amount));
});

test("images.generate by address: the file in our storage", async () => {
  const made = await client.images.generate({
    model: "flux-2",
    prompt: "A teapot.",
    size: "2048x1536",
    response_format: "url",
  });
  const url = made.data?.[0]?.url ?? "";
  assert.match(url, /\/static\/[0-9a-z]{32}\.png$/);
  const stored = new Uint8Array(await (await fetch(url)).arrayBuffer());
  assert.equal(await sizeOf(stored), "2048x1536");
});

test("images.edit: one image and several, n by the table's own count, images that came as files of the account", async () => {
  const one = await client.images
    .edit({
      model: "gpt-image-2-image-to-image",
      image: await pictureFile("harbour.png"),
      prompt: "As an oil painting.",
    })
    .withResponse();
  assert.equal(await sizeOf(Buffer.from(one.data.data?.[0]?.b64_json ?? "", "base64")), "1024x768");
  const task = await taskOf(one.response.headers);
  const [url] = task.input["inputUrls"] as string[];
  assert.match(url ?? "", /\/static\/[0-9a-z]{32}\.png$/);
  assert.equal(
    sha256(await picture()),
    sha256(new Uint8Array(await (await fetch(url ?? "")).arrayBuffer())),
  );

  const two = await client.images
    .edit({
      model: "bytedance/seedream-v4-edit",
      image: [await pictureFile("table.png"), await pictureFile("lamp.png")],
      prompt: "The lamp on the table.",
      n: 3,
      size: "2048x2048",
      response_format: "url",
    })
    .withResponse();
  assert.equal(two.data.data?.length, 3);
  const edit = await taskOf(two.response.headers);
  assert.deepEqual(
    [
      (edit.input["imageUrls"] as string[]).length,
      edit.input["maxImages"],
      edit.input["imageSize"],
      edit.input["imageResolution"],
    ],
    [2, 3, "square_hd", "2K"],
  );
  assert.equal(two.response.headers.get("x-tollgate-cost"), edit.cost.amount);
});

test("the AI SDK: generateImage from a prompt, and from an image", async () => {
  const openai = createOpenAI({ baseURL: `${scene.url}/v1`, apiKey: customer.secret });
  const { image } = await generateImage({
    model: openai.image("nano-banana-2"),
    prompt: "A poster for a jazz night.",
    size: "2048x2048",
  });
  assert.equal(await sizeOf(image.uint8Array), "2048x2048");
  const edited = await generateImage({
    model: openai.image("seedream/4.5-edit"),
    prompt: { images: [await picture()], text: "Without the people." },
  });
  assert.equal(await sizeOf(edited.image.uint8Array), "2048x2048");
});

test("parameters of the table go by their own names; a form's numbers and flags are numbers and flags", async () => {
  const made = await client.images
    .generate({
      model: "nano-banana-2",
      prompt: "A banner.",
      aspectRatio: "21:9",
      resolution: "2K",
      user: "customer-1",
      quality: "auto",
    } as OpenAI.ImageGenerateParamsNonStreaming)
    .withResponse();
  const { input } = await taskOf(made.response.headers);
  assert.deepEqual([input["aspectRatio"], input["resolution"]], ["21:9", "2K"]);
  const form = new FormData();
  form.set("model", "bytedance/seedream-v4-edit");
  form.set("prompt", "A winter evening.");
  form.set("seed", "42");
  form.set("nsfwChecker", "true");
  form.set("n", "1");
  form.set("image", new Blob([new Uint8Array(await picture())]), "house.png");
  const response = await fetch(`${scene.url}/v1/images/edits`, {
    method: "POST",
    headers: { "x-api-key": customer.secret },
    body: form,
  });
  assert.equal(response.status, 200, await response.clone().text());
  const edit = await taskOf(response.headers);
  assert.deepEqual([edit.input["seed"], edit.input["nsfwChecker"]], [42, true]);
});

test("edits in JSON take images by their addresses", async () => {
  const url = await customer.upload(new Uint8Array(await picture()), "cat.png");
  const answer = await customer.call("POST", "/v1/images/edits", {
    model: "flux-2",
    prompt: "The cat on the sofa.",
    images: [{ image_url: url }],
    response_format: "url",
  });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual((await taskOf(answer.headers)).input["imageUrls"], [url]);
});

test("streams: every image as one that is completed, with the bytes, at the quoted price; a task has no partial ones", async () => {
  const before = Number((await customer.money()).charged);
  const { data: stream, response } = await client.images
    .generate({
      model: "nano-banana-2",
      prompt: "A cat on a mat.",
      size: "1024x1024",
      stream: true,
      partial_images: 2,
    })
    .withResponse();
  const types: string[] = [];
  for await (const event of stream) {
    types.push(event.type);
    assert.equal(await sizeOf(Buffer.from(event.b64_json, "base64")), "1024x1024");
    if (event.type === "image_generation.completed") assert.equal(event.usage.total_tokens, 0);
  }
  assert.deepEqual(types, ["image_generation.completed"]);
  const task = await taskOf(response.headers);
  assert.deepEqual([task.state, task.cost.state], ["completed", "charged"]);
  assert.equal(Number((await customer.money()).charged) - before, Number(task.cost.amount));

  const edits = await client.images.edit({
    model: "bytedance/seedream-v4-edit",
    image: await pictureFile("table.png"),
    prompt: "The lamp on the table.",
    n: 3,
    size: "1024x1024",
    stream: true,
  });
  const edited: string[] = [];
  for await (const event of edits) {
    edited.push(event.type);
    assert.equal(await sizeOf(Buffer.from(event.b64_json, "base64")), "1024x1024");
  }
  assert.deepEqual(edited, Array(3).fill("image_edit.completed"));
});

test("a stream whose task fails ends by an error, and costs nothing", async () => {
  const { charged } = await customer.money();
  const stream = await client.images.generate({
    model: "nano-banana-2",
    prompt: "[[sandbox: fail=blocked]] A cat.",
    stream: true,
  });
  await assert.rejects(
    async () => {
      for await (const _ of stream) assert.fail("it was made");
    },
    (error: unknown) => {
      assert.ok(error instanceof OpenAI.APIError, String(error));
      assert.equal(error.code, "moderation_blocked");
      return true;
    },
  );
  assert.deepEqual(await customer.money(), { charged, held: "0" });
});

interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly param: string | null;
    readonly code: string;
  };
}
const errorOf = (text: string): OpenAiError["error"] => (JSON.parse(text) as OpenAiError).error;

const REFUSED: readonly (readonly [
  fields: object,
  status: number,
  param: string | null,
  message: RegExp,
])[] = [
  [{ model: undefined }, 400, "model", /'model' is required/],
  [{ model: "no-such" }, 404, "model", /no model "no-such"/],
  [{ model: "sandbox-large" }, 400, "model", /makes no images/],
  [{ model: "seedance-2" }, 400, "model", /POST \/v1\/tasks\/seedance-2/],
  [{ model: "seedream/4.5-edit" }, 400, "model", /POST \/v1\/images\/edits/],
  [{ prompt: undefined }, 400, "prompt", /'prompt'/],
  [{ prompt: 7 }, 400, "prompt", /'prompt'/],
  [{ size: "1000x1000" }, 400, "size", /1024x1024.*"1000x1000" has no equivalent/],
  [{ size: "1024x1024", aspectRatio: "16:9" }, 400, "aspectRatio", /'size' ask for different/],
  [{ n: 2 }, 400, "n", /one image at a time/],
  [{ n: 0 }, 400, "n", /whole number/],
  [{ n: "1" }, 400, "n", /whole number/],
  [{ quality: "high" }, 400, "quality", /auto, standard/],
  [{ background: "transparent" }, 400, "background", /auto, opaque/],
  [{ moderation: "low" }, 400, "moderation", /auto/],
  [{ response_format: "svg" }, 400, "response_format", /url or b64_json/],
  [{ output_format: "webp" }, 400, "output_format", /no equivalent/],
  [{ output_compression: 50 }, 400, "output_compression", /no equivalent/],
  [{ style: "vivid" }, 400, "style", /no equivalent/],
  [{ stream: "yes" }, 400, "stream", /true or false/],
  [{ stream: true, response_format: "url" }, 400, "response_format", /only be b64_json/],
  [{ partial_images: 2 }, 400, "partial_images", /without 'stream'/],
  [{ stream: true, partial_images: 4 }, 400, "partial_images", /0 to 3/],
  [{ qualty: "auto" }, 400, "qualty", /Did you mean 'quality'/],
  [{ imageUrls: ["data:image/png;base64,AAAA"] }, 400, "image[0]", /data:/],
  [{ imageUrls: ["http://10.0.0.1/x.png"] }, 400, "image[0]", /./],
];

for (const [fields, status, param, message] of REFUSED) {
  test(`refused by name: ${JSON.stringify(fields)}`, async () => {
    const answer = await customer.call("POST", "/v1/images/generations", {
      model: "nano-banana-2",
      prompt: "A cat.",
      ...fields,
    });
    const error = errorOf(answer.text);
    assert.deepEqual([answer.status, error.param], [status, param], answer.text);
    assert.match(error.message, message);
    assert.equal(answer.headers.get("x-tollgate-task"), null, "nothing was ordered");
  });
}

test("nothing of what asks for nothing is refused", async () => {
  const answer = await customer.call("POST", "/v1/images/generations", {
    model: "nano-banana-2",
    prompt: "A cat.",
    n: 1,
    size: "auto",
    quality: "standard",
    background: "auto",
    moderation: "auto",
    style: null,
    output_format: null,
    stream: false,
    partial_images: 0,
    user: "u",
    safety_identifier: "s",
    response_format: "url",
  });
  assert.equal(answer.status, 200, answer.text);
});

test("why a task failed is told as OpenAI tells it, and costs nothing", async () => {
  const { charged } = await customer.money();
  const blocked = await client.images
    .generate({ model: "nano-banana-2", prompt: "[[sandbox: fail=blocked]] A cat." })
    .then(
      () => assert.fail("it was made"),
      (error: unknown) => error,
    );
  assert.ok(blocked instanceof OpenAI.BadRequestError);
  assert.deepEqual(
    [blocked.code, blocked.type],
    ["moderation_blocked", "image_generation_user_error"],
  );
  assert.ok(blocked.headers.get("x-tollgate-task") !== null);
  const failed = await customer.call("POST", "/v1/images/generations", {
    model: "nano-banana-2",
    prompt: "[[sandbox: fail=500]] A cat.",
  });
  assert.deepEqual([failed.status, errorOf(failed.text).code], [502, "upstream_error"]);
  assert.deepEqual(await customer.money(), { charged, held: "0" });
});

test("no money: a 402 that no SDK repeats, and no file is kept of the form", async () => {
  const poor = await scene.customer("0.001");
  const broke = new OpenAI({ apiKey: poor.secret, baseURL: `${scene.url}/v1` });
  const error = await broke.images
    .edit({ model: "seedream/4.5-edit", image: await pictureFile("a.png"), prompt: "A cat." })
    .then(
      () => assert.fail("it was made"),
      (thrown: unknown) => thrown,
    );
  assert.ok(error instanceof OpenAI.APIError);
  assert.deepEqual([error.status, error.code], [402, "insufficient_balance"]);
  const files = await poor.call<{ files: unknown[] }>("GET", "/v1/storage/files");
  assert.deepEqual(files.data.files, []);
});

test("the same key again gets the same images, one task, one charge, and the images of one form", async () => {
  const owner = await scene.customer();
  const headers = { "idempotency-key": "poster" };
  const body = { model: "nano-banana-2", prompt: "A poster.", response_format: "url" };
  const ask = () => owner.call("POST", "/v1/images/generations", body, headers);
  const [first, second] = await Promise.all([ask(), ask()]);
  const third = await ask();
  const answers = [first, second, third].filter(({ status }) => status === 200);
  assert.ok(answers.length >= 2, first.text + second.text);
  assert.equal(new Set(answers.map(({ headers: sent }) => sent.get("x-tollgate-task"))).size, 1);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(third.headers.get("idempotent-replayed"), "true");
  const other = await owner.call(
    "POST",
    "/v1/images/generations",
    { ...body, prompt: "Another." },
    headers,
  );
  assert.deepEqual([other.status, errorOf(other.text).code], [400, "idempotency_mismatch"]);
  // Either may have come first; the other waited for it, or was asked to come again.
  const costs = [first, second].map(({ headers: sent }) => sent.get("x-tollgate-cost"));
  assert.deepEqual(
    costs.filter((cost) => cost !== null),
    [(await owner.money()).charged],
  );

  const sdk = new OpenAI({ apiKey: owner.secret, baseURL: `${scene.url}/v1`, maxRetries: 0 });
  const edit = async () =>
    sdk.images
      .edit(
        {
          model: "seedream/4.5-edit",
          image: await pictureFile("a.png"),
          prompt: "A cat.",
          response_format: "url",
        },
        { headers: { "idempotency-key": "edit" } },
      )
      .withResponse();
  const made = await edit();
  const again = await edit();
  assert.equal(
    again.response.headers.get("x-tollgate-task"),
    made.response.headers.get("x-tollgate-task"),
  );
  assert.deepEqual(again.data.data, made.data.data);
  const { data } = await owner.call<{ files: { origin: string }[] }>("GET", "/v1/storage/files");
  assert.equal(data.files.filter(({ origin }) => origin === "upload").length, 1);
  await scene.assertBooks();
});

test("who leaves stops nothing: the task is made, listed and charged", async () => {
  const owner = await scene.customer();
  const left = new AbortController();
  const waited = fetch(`${scene.url}/v1/images/generations`, {
    method: "POST",
    headers: { "x-api-key": owner.secret, "content-type": "application/json" },
    body: JSON.stringify({ model: "nano-banana-2", prompt: "[[sandbox: run=1500]] A cat." }),
    signal: left.signal,
  });
  await until("it is ordered", async () => (await owner.money()).held !== "0" || null);
  left.abort();
  await assert.rejects(waited);
  const listed = await owner.call<{ tasks: { taskId: string }[] }>("GET", "/v1/tasks");
  const [task] = listed.data.tasks;
  const ended = await owner.end(task?.taskId ?? "");
  assert.deepEqual([ended.state, ended.cost.state], ["completed", "charged"]);
  assert.equal((await owner.money()).charged, ended.cost.amount);
});

test("GET /v1/models says which task models are served here", async () => {
  const { data } = JSON.parse((await customer.call("GET", "/v1/models?type=task")).text) as {
    data: { id: string; endpoints: string[] }[];
  };
  const endpoints = new Map(data.map(({ id, endpoints: served }) => [id, served.join(" ")]));
  assert.equal(endpoints.get("nano-banana-2"), "tasks images.generations images.edits");
  assert.equal(endpoints.get("seedream/4.5-edit"), "tasks images.edits");
  assert.equal(endpoints.get("seedance-2"), "tasks");
});
