/**
 * Guarantee: models of type `image` make and edit images for the official SDK over an upstream of
 * OpenAI's form, by the image or by tokens, whole or with partial images, as bytes or as files in
 * our storage; what has no price is refused, what failed costs nothing, and the books agree.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { toFile } from "openai";
import sharp from "sharp";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { until } from "../support/until.ts";
import { openShippedScene, type ShippedScene } from "./shipped-scene.ts";

let scene: ShippedScene;
before(async () => {
  scene = await openShippedScene({
    before: "sandbox-image",
    model:
      'by-tokens: { type: image, price: { input: "500", imageInput: "1000", output: "4000" }, routes: [{ upstream: sandbox-chat, model: another-painter }] }',
  });
});
after(() => scene.close());

const ROUBLE = 1_000_000_000n;

async function sizeOf(bytes: Uint8Array): Promise<string> {
  const { width, height, format } = await sharp(bytes).metadata();
  await sharp(bytes).stats();
  return `${format} ${width}x${height}`;
}

const picture = async (name: string): Promise<File> =>
  toFile(
    await sharp({ create: { width: 320, height: 240, channels: 3, background: "#3a7" } })
      .png()
      .toBuffer(),
    name,
    { type: "image/png" },
  );

test("by the image, by size and quality: bytes as they come, and files of ours by address", async () => {
  const { client, charged } = await scene.customer();
  const made = await client.images.generate({
    model: "sandbox-image",
    prompt: "A fox.",
    size: "1536x1024",
    quality: "low",
    n: 2,
  });
  assert.equal(made.data?.length, 2);
  const bytes = Buffer.from(made.data?.[0]?.b64_json ?? "", "base64");
  assert.equal(await sizeOf(bytes), "png 1536x1024");
  assert.equal(await charged(), 3n * ROUBLE);
  const stored = await client.images.generate({
    model: "sandbox-image",
    prompt: "A fox.",
    size: "1024x1024",
    quality: "medium",
    response_format: "url",
    output_format: "jpeg",
  });
  const url = stored.data?.[0]?.url ?? "";
  assert.match(url, /\/static\/[0-9a-z]{32}\.jpg$/);
  const file = new Uint8Array(await (await fetch(url)).arrayBuffer());
  assert.equal(await sizeOf(file), "jpeg 1024x1024");
  assert.equal(await charged(), 7n * ROUBLE);
});

test("what has no price is refused by name, and nothing is asked of the upstream", async () => {
  const { client, charged } = await scene.customer();
  for (const [fields, param] of [
    [{ size: "512x512", quality: "low" }, "size"],
    [{ size: "1024x1024" }, "quality"],
    [{ size: "1024x1024", quality: "low", n: 11 }, "n"],
    [{ size: "1024x1024", quality: "low", n: 2, stream: true }, "n"],
  ] as const) {
    const asked = client.images.generate({ model: "sandbox-image", prompt: "A fox.", ...fields });
    await assert.rejects(Promise.resolve(asked), (error: unknown) => {
      assert.ok(error instanceof OpenAI.BadRequestError, String(error));
      assert.equal(error.param, param, error.message);
      return true;
    });
  }
  assert.equal(await charged(), 0n);
});

test("by tokens: the upstream's own usage, of the prompt, of the images and of what was made", async () => {
  const { client, charged } = await scene.customer();
  const { usage } = await client.images.generate({
    model: "by-tokens",
    prompt: "A fox in the snow.",
    size: "1024x1024",
    quality: "low",
  });
  // This upstream answers by address unless it is asked for bytes.
  assert.ok(usage !== undefined);
  const price = BigInt(usage.input_tokens) * 500n + BigInt(usage.output_tokens) * 4000n;
  assert.equal(await charged(), price * 1000n);
  const edit = await client.images.edit({
    model: "by-tokens",
    image: [await picture("a.png"), await picture("b.png")],
    mask: await picture("mask.png"),
    prompt: "Both in one.",
    quality: "low",
  });
  const { input_tokens_details: input, output_tokens: output = 0 } = edit.usage ?? {};
  const more =
    BigInt(input?.text_tokens ?? 0) * 500n +
    BigInt(input?.image_tokens ?? 0) * 1000n +
    BigInt(output) * 4000n;
  assert.ok((input?.image_tokens ?? 0) > 0);
  assert.equal(await charged(), (price + more) * 1000n);
});

test("partial images come before the whole one, and the usage at the end is charged", async () => {
  const { client, charged } = await scene.customer();
  const stream = await client.images.generate({
    model: "by-tokens",
    prompt: "A fox.",
    quality: "low",
    size: "1024x1024",
    stream: true,
    partial_images: 2,
  });
  const types: string[] = [];
  let tokens = { input: 0, output: 0 };
  for await (const event of stream) {
    types.push(event.type);
    assert.ok(event.b64_json.length > 100);
    if (event.type === "image_generation.completed")
      tokens = { input: event.usage.input_tokens, output: event.usage.output_tokens };
  }
  assert.deepEqual(types, [
    "image_generation.partial_image",
    "image_generation.partial_image",
    "image_generation.completed",
  ]);
  assert.equal(
    await charged(),
    (BigInt(tokens.input) * 500n + BigInt(tokens.output) * 4000n) * 1000n,
  );
});

test("what failed or was blocked costs nothing, in the upstream's words", async () => {
  const { client, charged } = await scene.customer();
  const ask = (directive: string) =>
    client.images.generate({
      model: "sandbox-image",
      prompt: `[[sandbox: ${directive}]] A fox.`,
      size: "1024x1024",
      quality: "low",
    });
  await assert.rejects(ask("refusal"), (error: unknown) => {
    assert.ok(error instanceof OpenAI.BadRequestError, String(error));
    assert.equal(error.code, "moderation_blocked");
    return true;
  });
  await assert.rejects(ask("status=500"), OpenAI.InternalServerError);
  await assert.rejects(ask("cut=100"), OpenAI.InternalServerError);
  assert.equal(await charged(), 0n);
});

test("by an idempotency key once; no file of a form is left, and the books agree", async () => {
  const { client, charged } = await scene.customer();
  const ask = async () =>
    client.images.edit(
      {
        model: "sandbox-image",
        image: await picture("a.png"),
        prompt: "A hat.",
        size: "1024x1024",
        quality: "low",
      },
      { headers: { "idempotency-key": "hat" } },
    );
  const first = await ask();
  assert.deepEqual(await ask(), first);
  assert.equal(await charged(), ROUBLE);
  await until("only results are stored", async () => {
    const rows = await scene.database.db.query<{ count: bigint }>(
      "SELECT count(*) AS count FROM files.files WHERE origin <> 'result'",
    );
    return rows[0]?.count === 0n || null;
  });
  assert.deepEqual((await verifyLedger(scene.database.db)).mismatches, []);
});
