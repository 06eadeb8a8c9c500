/**
 * One request of each kind of call that sends or answers media, with what a scripted upstream says
 * to it and what it costs: the doors behind which the engine of calls moves money.
 */
import { readFile, rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { makeMedia } from "../support/media-maker.ts";
import { filePart, multipartBody, multipartType, textPart } from "../support/multipart-body.ts";
import type { Exchange } from "../support/scripted-upstream.ts";
import { EMBEDDING_PRICE, embeddingAnswer } from "./calls-catalogue.ts";

/** The upstream's own names are `up-…`. */
export function mediaCatalogue(upstreamUrl: string): string {
  const model = (type: string, price: string, name: string): string =>
    `{ type: ${type}, price: ${price}, routes: [ { upstream: near, model: ${name} } ] }`;
  return `
upstreams:
  near: { protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000, resultHosts: ["${new URL(upstreamUrl).host}"] }
models:
  embed: ${model("embedding", `{ input: "${EMBEDDING_PRICE}" }`, "up-embed")}
  paint: ${model("image", '{ image: { by: [size, quality], values: { 1024x1024: { low: "0.5" } } } }', "up-paint")}
  paint-tokens: ${model("image", '{ input: "500", imageInput: "1000", output: "4000" }', "up-paint")}
  speak: ${model("speech", '{ characters1M: "1500" }', "up-speak")}
  hear: ${model("transcription", '{ second: "0.01" }', "up-hear")}
`;
}

export interface MediaRequest {
  readonly path: string;
  readonly body: Buffer;
  readonly contentType: string;
}

export interface MediaKind {
  readonly name: string;
  readonly endpoint: string;
  /** `user`: of the play that answers it. */
  request(user: string): MediaRequest;
  /** What the upstream answers, as one body. */
  readonly answer: Buffer;
  readonly answerType: string;
  /** A beginning of the answer that its caller sees; null: it sees nothing before the whole. */
  readonly seen: string | null;
  /** Null: what the first paid request tells. */
  readonly priceNano: bigint | null;
}

const ANSWERED_IMAGE = Buffer.from("an image, as far as anybody looks").toString("base64");
const SPOKEN = "Hello there.";
export const SECONDS_OF_SOUND = 2;

/** Its files are made once. */
export async function mediaKinds(): Promise<readonly MediaKind[]> {
  const folder = await mkdtemp(join(tmpdir(), "media-kinds-"));
  await makeMedia(join(folder, "a.mp3"), { sound: { codec: "mp3", seconds: SECONDS_OF_SOUND } });
  const sound = await readFile(join(folder, "a.mp3"));
  await rm(folder, { recursive: true, force: true });
  const picture = await sharp({
    create: { width: 32, height: 24, channels: 3, background: "#3a7" },
  })
    .png()
    .toBuffer();
  const painted = { size: "1024x1024", quality: "low" };
  const image = json({ created: 1, data: [{ b64_json: ANSWERED_IMAGE }] });
  const priceOfImage = 500_000_000n;
  return [
    {
      name: "embeddings",
      endpoint: "embeddings",
      request: (user) => jsonRequest("/v1/embeddings", { model: "embed", input: "One two.", user }),
      answer: json(embeddingAnswer(1, 3)),
      answerType: "application/json",
      seen: null,
      priceNano: BigInt(3 * EMBEDDING_PRICE * 1000),
    },
    {
      name: "images",
      endpoint: "images.generations",
      request: (user) =>
        jsonRequest("/v1/images/generations", {
          model: "paint",
          prompt: "A fox.",
          ...painted,
          user,
        }),
      answer: image,
      answerType: "application/json",
      seen: null,
      priceNano: priceOfImage,
    },
    {
      name: "image edits",
      endpoint: "images.edits",
      request: (user) =>
        formRequest(
          "/v1/images/edits",
          { model: "paint", prompt: "A hat.", ...painted, user },
          filePart(picture, "a.png", "image"),
        ),
      answer: image,
      answerType: "application/json",
      seen: null,
      priceNano: priceOfImage,
    },
    {
      name: "speech, streamed",
      endpoint: "audio.speech",
      request: (user) =>
        jsonRequest("/v1/audio/speech", { model: "speak", input: SPOKEN, voice: "alloy", user }),
      answer: Buffer.from("sound ".repeat(200)),
      answerType: "audio/mpeg",
      seen: "sound ",
      priceNano: BigInt(SPOKEN.length) * 1_500_000n,
    },
    {
      name: "transcripts",
      endpoint: "audio.transcriptions",
      request: (user) =>
        formRequest(
          "/v1/audio/transcriptions",
          { model: "hear", user },
          filePart(sound, "a.mp3", "file"),
        ),
      answer: json({ text: "What was heard." }),
      answerType: "application/json",
      seen: null,
      priceNano: null,
    },
  ];
}

/** All of it at once. */
export async function answerWhole(exchange: Exchange, kind: MediaKind): Promise<void> {
  exchange.head(200, { "content-type": kind.answerType });
  await exchange.send(kind.answer);
  exchange.end();
}

function jsonRequest(path: string, body: object): MediaRequest {
  return { path, body: json(body), contentType: "application/json" };
}

/** The file first, as some clients send it. */
function formRequest(
  path: string,
  texts: Readonly<Record<string, string>>,
  file: ReturnType<typeof filePart>,
): MediaRequest {
  const parts = [file, ...Object.entries(texts).map(([name, text]) => textPart(text, name))];
  return { path, body: multipartBody(parts), contentType: multipartType() };
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
