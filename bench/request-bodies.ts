/**
 * The bodies that the load generator sends, as files: a chat request of 2 kB or of as much text as
 * is wished in every protocol, and one with 10 MB of images.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Replaced by the load generator with the number of the request: no two bodies are the same. */
const MARK = "################";
const BODY_BYTES = 2048;
const IMAGE_BODY_BYTES = 10_000_000;
const IMAGES = 4;

const PROSE =
  "You are reading a report about the night shift of a small harbour. At eleven the last ferry came in with forty passengers, two of them without tickets, " +
  "and a crate of oranges that nobody wanted to own. The crane was out of order until half past one; the spare part is on its way and should arrive on Thursday. " +
  "Between two and four the wind turned to the north-west, force 6, so both pilots stayed ashore and three ships waited outside. Please summarise what the day shift has to do first, " +
  "what can wait, whom to call about the oranges, and how much the delay will cost if each ship pays 1,250 an hour after the third hour of waiting. ";

/** What the load generator can speak. */
export type BodyProtocol = "openai" | "anthropic" | "responses";

export interface BodyWish {
  /** What the upstream is to answer. */
  readonly model: string;
  readonly streamed: boolean;
  /** Chat Completions unless told. */
  readonly protocol?: BodyProtocol;
  readonly images?: boolean;
  /** So much text instead of 2 kB. */
  readonly textBytes?: number;
}

/** Writes the body once into the folder; returns its file. */
export function requestBody(folder: string, wish: BodyWish): string {
  const text = JSON.stringify(wish.images === true ? withImages(wish) : chat(wish));
  const file = join(
    folder,
    `body-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.json`,
  );
  writeFileSync(file, text);
  return file;
}

const SYSTEM = "Answer in short sentences.";

/** One question, by the text of it. */
const BODIES: Readonly<Record<BodyProtocol, (wish: BodyWish, text: string) => object>> = {
  openai: ({ model, streamed }, text) => ({
    model,
    max_tokens: 1000,
    ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: text },
    ],
  }),
  anthropic: ({ model, streamed }, text) => ({
    model,
    max_tokens: 1000,
    stream: streamed,
    system: SYSTEM,
    messages: [{ role: "user", content: text }],
  }),
  // As agents ask: they keep the conversation themselves.
  responses: ({ model, streamed }, text) => ({
    model,
    max_output_tokens: 1000,
    stream: streamed,
    store: false,
    instructions: SYSTEM,
    input: [{ role: "user", content: text }],
  }),
};

/** The model stands first: the scripted upstream looks for it at the beginning. */
function chat(wish: BodyWish): object {
  const body = (text: string): object => BODIES[wish.protocol ?? "openai"](wish, text);
  const room = (wish.textBytes ?? BODY_BYTES) - JSON.stringify(body("")).length;
  return body(`Request ${MARK}. ${PROSE.repeat(Math.ceil(room / PROSE.length))}`.slice(0, room));
}

function withImages(wish: BodyWish): object {
  const url = `data:image/png;base64,${picture(Math.floor(IMAGE_BODY_BYTES / IMAGES))}`;
  const images = Array.from({ length: IMAGES }, () => ({ type: "image_url", image_url: { url } }));
  const content = [
    { type: "text", text: `Request ${MARK}. What is in these pictures?` },
    ...images,
  ];
  return { model: wish.model, max_tokens: 1000, messages: [{ role: "user", content }] };
}

/**
 * Base64 of so many characters that begins as a PNG of 1024 × 1024 and goes on as noise, the same
 * each time.
 */
function picture(characters: number): string {
  const head = Buffer.from(
    "89504e470d0a1a0a0000000d49484452000004000000040008060000007f1d2b83",
    "hex",
  );
  const noise: Buffer[] = [head];
  for (let size = head.length, block = 0; size < (characters * 3) / 4; size += 64, block++) {
    noise.push(createHash("sha512").update(String(block)).digest());
  }
  return Buffer.concat(noise)
    .toString("base64")
    .slice(0, characters - (characters % 4));
}
