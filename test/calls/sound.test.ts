/**
 * Guarantee: the official SDKs speak and hear through the gateway as before OpenAI's own, in every
 * format, and each pays the price of its characters or measured seconds, once; what delivered
 * nothing costs nothing, and no file of a transcription is kept.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import {
  experimental_generateSpeech as generateSpeech,
  experimental_transcribe as transcribe,
} from "ai";
import OpenAI, { toFile } from "openai";
import { measureMedia } from "../../sandbox/media/measure-media.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { makeMedia } from "../support/media-maker.ts";
import { filePart, multipartBody, multipartType, textPart } from "../support/multipart-body.ts";
import { until } from "../support/until.ts";
import { openShippedScene, type SdkCustomer, type ShippedScene } from "./shipped-scene.ts";

let scene: ShippedScene;
let folder: string;
let sound: Buffer;
before(async () => {
  scene = await openShippedScene({
    before: "sandbox-transcription",
    model:
      'by-tokens: { type: transcription, price: { input: "100", audioInput: "600", output: "400" }, routes: [{ upstream: sandbox-chat, model: hear-tokens }] }',
  });
  ({ folder } = scene);
  await makeMedia(join(folder, "sound.mp3"), { sound: { codec: "mp3", seconds: 7 } });
  sound = await readFile(join(folder, "sound.mp3"));
});
after(() => scene.close());

const customer = (roubles = "10"): Promise<SdkCustomer> => scene.customer(roubles);

/** 1,500 roubles for 1M characters: a million and a half nano-roubles each. */
const spoken = (text: string): bigint => BigInt([...text].length) * 1_500_000n;
/** A kopeck a second, by the thousandth of a second: 10,000 nano-roubles each. */
const heard = (milliseconds: number): bigint => BigInt(milliseconds) * 10_000n;

async function lengthOf(bytes: Uint8Array, name: string, type: string): Promise<number> {
  const path = join(folder, name);
  await import("node:fs/promises").then((fs) => fs.writeFile(path, bytes));
  return (await measureMedia(path, type))?.seconds ?? -1;
}

const TEXT = "Съешь ещё этих мягких французских булок, да выпей же чаю. 🫖";

test("audio.speech.create: a sound that plays, at the price of its characters, known in the head", async () => {
  const { client, charged } = await customer();
  const response = await client.audio.speech.create({
    model: "sandbox-speech",
    input: TEXT,
    voice: "alloy",
  });
  assert.equal(response.headers.get("content-type"), "audio/mpeg");
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.ok((await lengthOf(bytes, "spoken.mp3", "audio/mpeg")) > 3);
  assert.equal(await charged(), spoken(TEXT));
  assert.equal(response.headers.get("x-tollgate-cost"), String(Number(spoken(TEXT)) / 1e9));
});

for (const [format, type] of [
  ["wav", "audio/wav"],
  ["flac", "audio/flac"],
  ["opus", "audio/opus"],
  ["aac", "audio/aac"],
  ["pcm", "audio/pcm"],
] as const) {
  test(`speech as ${format}`, async () => {
    const { client, charged } = await customer();
    const response = await client.audio.speech.create({
      model: "sandbox-speech",
      input: TEXT,
      voice: "alloy",
      response_format: format,
    });
    assert.equal(response.headers.get("content-type"), type);
    assert.ok((await response.arrayBuffer()).byteLength > 5000);
    assert.equal(await charged(), spoken(TEXT));
  });
}

test("speech as events passes as they are", async () => {
  const { client, charged } = await customer();
  const response = await client.audio.speech.create({
    model: "sandbox-speech",
    input: TEXT,
    voice: "alloy",
    stream_format: "sse",
    response_format: "wav",
  });
  const events = (await response.text())
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.replace(/^data: /, "")) as { type: string; audio?: string });
  assert.equal(events.at(-1)?.type, "speech.audio.done");
  const bytes = Buffer.concat(events.map(({ audio = "" }) => Buffer.from(audio, "base64")));
  assert.equal(bytes.toString("latin1", 0, 4), "RIFF");
  assert.equal(await charged(), spoken(TEXT));
});

test("speech that breaks off looks broken and costs its price; one that never began costs nothing", async () => {
  const { client, charged } = await customer();
  const ask = (directive: string) =>
    client.audio.speech.create({
      model: "sandbox-speech",
      input: `[[sandbox: ${directive}]] ${TEXT}`,
      voice: "alloy",
      response_format: "wav",
    });
  const broken = await ask("cut=3");
  await assert.rejects(broken.arrayBuffer());
  assert.equal(await charged(), spoken(`[[sandbox: cut=3]] ${TEXT}`));
  await assert.rejects(ask("status=500"), OpenAI.APIError);
  await assert.rejects(ask("cut=0"), OpenAI.APIError);
  assert.equal(await charged(), spoken(`[[sandbox: cut=3]] ${TEXT}`));
});

const file = (): Promise<File> => toFile(sound, "sound.mp3", { type: "audio/mpeg" });

test("audio.transcriptions.create in every format: the same words, the price of the measured length each time", async () => {
  const { client, charged } = await customer();
  const ask = { model: "sandbox-transcription", language: "en" } as const;
  const json = await client.audio.transcriptions.create({ ...ask, file: await file() });
  assert.ok(json.text.split(" ").length >= 13, json.text);
  const one = await charged();
  assert.ok(one >= heard(6900) && one <= heard(7200), String(one));
  const verbose = await client.audio.transcriptions.create({
    ...ask,
    file: await file(),
    response_format: "verbose_json",
    timestamp_granularities: ["word", "segment"],
  });
  assert.equal(verbose.text, json.text);
  assert.equal(verbose.words?.map(({ word }) => word).join(" "), json.text);
  assert.equal(heard(Math.ceil(verbose.duration * 1000)), one);
  const text = await client.audio.transcriptions.create({
    ...ask,
    file: await file(),
    response_format: "text",
  });
  assert.equal(String(text).trim(), json.text);
  for (const [format, begin] of [
    ["srt", /^1\n00:00:00,000 --> /],
    ["vtt", /^WEBVTT\n\n00:00:00\.000 --> /],
  ] as const) {
    const cues = await client.audio.transcriptions.create({
      ...ask,
      file: await file(),
      response_format: format,
    });
    assert.match(String(cues), begin);
  }
  const diarized = (await client.audio.transcriptions.create({
    ...ask,
    file: await file(),
    response_format: "diarized_json",
  })) as unknown as { segments: { speaker: string }[] };
  assert.deepEqual(
    diarized.segments.map(({ speaker }) => speaker),
    ["A", "B"],
  );
  assert.equal(await charged(), 6n * one);
});

test("a transcript as events, and a translation", async () => {
  const { client, charged } = await customer();
  const stream = await client.audio.transcriptions.create({
    model: "sandbox-transcription",
    file: await file(),
    stream: true,
  });
  let text = "";
  let last = "";
  for await (const event of stream) {
    if (event.type === "transcript.text.delta") text += event.delta;
    if (event.type === "transcript.text.done") last = event.text;
  }
  assert.ok(text.length > 10);
  assert.equal(text, last);
  const one = await charged();
  const translated = await client.audio.translations.create({
    model: "sandbox-transcription",
    file: await file(),
  });
  assert.equal(translated.text, last);
  assert.equal(await charged(), 2n * one);
});

test("paid for by tokens: the upstream's own usage, whole and streamed", async () => {
  const { client, charged } = await customer();
  const whole = await client.audio.transcriptions.create({
    model: "by-tokens",
    file: await file(),
  });
  const { usage } = whole;
  assert.ok(usage?.type === "tokens");
  const audio = usage.input_token_details?.audio_tokens ?? 0;
  const text = usage.input_tokens - audio;
  const price =
    (BigInt(text) * 100n + BigInt(audio) * 600n + BigInt(usage.output_tokens) * 400n) * 1000n;
  assert.equal(await charged(), price);
  const stream = await client.audio.transcriptions.create({
    model: "by-tokens",
    file: await file(),
    stream: true,
  });
  for await (const _ of stream);
  assert.equal(await charged(), 2n * price);
});

test("the AI SDK: generateSpeech and transcribe", async () => {
  const { secret, charged } = await customer();
  const openai = createOpenAI({ apiKey: secret, baseURL: `${scene.gateway.url}/v1` });
  const { audio } = await generateSpeech({
    model: openai.speech("sandbox-speech"),
    text: TEXT,
    voice: "alloy",
  });
  assert.ok((await lengthOf(audio.uint8Array, "ai.mp3", "audio/mpeg")) > 3);
  assert.equal(await charged(), spoken(TEXT));
  const transcript = await transcribe({
    model: openai.transcription("sandbox-transcription"),
    audio: sound,
  });
  assert.ok(transcript.text.length > 10);
});

test("an answer that failed costs nothing; one by an idempotency key is charged once", async () => {
  const { client, charged } = await customer();
  const failing = client.audio.transcriptions.create({
    model: "sandbox-transcription",
    file: await file(),
    prompt: "[[sandbox: status=500]]",
  });
  await assert.rejects(failing, OpenAI.APIError);
  assert.equal(await charged(), 0n);
  const ask = async (prompt = "Names") =>
    client.audio.transcriptions.create(
      { model: "sandbox-transcription", file: await file(), prompt },
      { headers: { "idempotency-key": "once" } },
    );
  const first = await ask();
  const once = await charged();
  assert.deepEqual(await ask(), first);
  assert.equal(await charged(), once);
  await assert.rejects(ask("Others"), OpenAI.BadRequestError);
});

test("no money: a 402 before any upstream is asked", async () => {
  const { client } = await customer("0.001");
  const asked = client.audio.transcriptions.create({
    model: "sandbox-transcription",
    file: await file(),
  });
  await assert.rejects(asked, (error: unknown) => {
    assert.ok(error instanceof OpenAI.APIError);
    return error.status === 402;
  });
});

const model = textPart("sandbox-transcription", "model");

test("hostile forms are refused by name", async () => {
  const { secret, charged } = await customer();
  const long = Buffer.concat([sound, Buffer.alloc(26 * 1024 * 1024)]);
  const cases: readonly (readonly [what: string, body: Buffer, status: number, message: RegExp])[] =
    [
      ["no file", multipartBody([model]), 400, /no 'file'/],
      [
        "two files",
        multipartBody([model, filePart(sound), filePart(sound)]),
        400,
        /exactly one file/,
      ],
      ["no model", multipartBody([filePart(sound)]), 400, /'model' is required/],
      ["two models", multipartBody([model, model, filePart(sound)]), 400, /'model' is given more/],
      [
        "an unknown model",
        multipartBody([textPart("no-such", "model"), filePart(sound)]),
        404,
        /no model/,
      ],
      [
        "a chat model",
        multipartBody([textPart("sandbox-large", "model"), filePart(sound)]),
        400,
        /sandbox-large/,
      ],
      [
        "another format",
        multipartBody([model, textPart("xml", "response_format"), filePart(sound)]),
        400,
        /may be json/,
      ],
      ["an empty file", multipartBody([model, filePart("")]), 400, /empty|no bytes/i],
      [
        "a text in its place",
        multipartBody([model, textPart("data:audio/mp3;base64,AAAA")]),
        400,
        /data: address/,
      ],
      [
        "a picture",
        multipartBody([model, filePart("\x89PNG\r\n\x1a\n0000")]),
        400,
        /does not begin like/,
      ],
      ["half a sound", multipartBody([model, filePart("ID3\x03\0\0\0\0\0\0abc")]), 400, /'file'/],
      ["too much", multipartBody([model, filePart(long)]), 413, /25/],
      ["no end", multipartBody([model, filePart(sound)], { close: "" }), 400, /breaks off/],
    ];
  for (const [what, body, status, message] of cases) {
    const response = await fetch(`${scene.gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { "x-api-key": secret, "content-type": multipartType() },
      body: new Uint8Array(body),
    });
    const text = await response.text();
    assert.equal(response.status, status, `${what}: ${text}`);
    assert.match((JSON.parse(text) as { error: { message: string } }).error.message, message, what);
  }
  assert.equal(await charged(), 0n);
});

test("no file of a form is left, and the books agree", async () => {
  await until("the storage is empty", async () => {
    const rows = await scene.database.db.query<{ count: bigint }>(
      "SELECT count(*) AS count FROM files.files",
    );
    return rows[0]?.count === 0n || null;
  });
  assert.deepEqual((await verifyLedger(scene.database.db)).mismatches, []);
});
