/** Images over upstreams of OpenAI's form: paid for by tokens, or by the image of a size and quality. */
import { ImageGenerationRequestBody } from "../../contract/images.ts";
import type { CallEndpoint } from "../../contract/enums/call-endpoint.ts";
import { Fault } from "../../kernel/faults.ts";
import { isRecord } from "../json/is-record.ts";
import { upperEstimate } from "../estimate-tokens.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";
import type { AskedCall, CallBody, CallProtocol } from "./call-protocol.ts";
import { formBody, type FormFile } from "./form-body.ts";
import { MEDIA_EVENTS } from "./media-events.ts";
import { readMediaUsage } from "./media-usage.ts";
import { createCallReader, JSON_TYPE } from "./read-call-object.ts";
import { readJsonAnswer } from "./read-json-answer.ts";

export type ImageCallEndpoint = Extract<CallEndpoint, "images.generations" | "images.edits">;

const MOST_IMAGES = 10;
/** What an image is counted as at most, whichever vendor and quality: by its pixels, where these are known. */
const TOKENS_A_MEGAPIXEL = 8192;
const TOKENS_OF_UNKNOWN_SIZE = 24_576;
const TOKENS_OF_PARTIAL = 256;
const MEGAPIXEL = 1024 * 1024;
const SIZE = /^(\d{1,5})x(\d{1,5})$/;
/** They answer with bytes whatever is asked, and refuse to be asked. */
const ANSWERS_WITH_BYTES = /^(?:chatgpt|gpt)-image/;

const readObject = createCallReader(ImageGenerationRequestBody, [
  "prompt",
  "n",
  "size",
  "quality",
  "response_format",
  "stream",
  "partial_images",
]);

/** A request for new images. Throws a Fault. */
export function askGeneration(body: Buffer): AskedCall {
  const fields = readObject(body).whole();
  return asked(fields, [], body, (model) => ({
    contentType: JSON_TYPE,
    bytes: Buffer.from(JSON.stringify(forUpstream(fields, model))),
  }));
}

/** A form with images to work on. */
export interface SentImages {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly FormFile[];
  /** What makes it the same as another one. */
  readonly identity: Buffer;
  release(): void;
}

/** Throws a Fault. */
export function askEdit({ fields, files, identity, release }: SentImages): AskedCall {
  const call = asked(fields, files, identity, (model): CallBody =>
    formBody(Object.entries(forUpstream(fields, model)) as [string, string][], files),
  );
  return { ...call, release };
}

function asked(
  fields: Readonly<Record<string, unknown>>,
  files: readonly FormFile[],
  identity: Buffer,
  write: (model: string) => CallBody,
): AskedCall {
  const sent = fields["prompt"];
  const prompt = typeof sent === "string" ? sent : "";
  const images = countOf(fields, "n", 1, MOST_IMAGES);
  const partial = countOf(fields, "partial_images", 0, MOST_IMAGES);
  const stream = fields["stream"] === true || fields["stream"] === "true";
  if (stream && images > 1)
    throw new Fault("invalid_request", {
      message: "'n' may only be 1 in a stream: what several images used is not reported apart.",
      param: "n",
    });
  if (stream && fields["response_format"] === "url")
    throw new Fault("invalid_request", {
      message: "'response_format' may only be b64_json in a stream: its events have the bytes.",
      param: "response_format",
    });
  const image = { size: wordOf(fields["size"]), quality: wordOf(fields["quality"]) };
  const ofPrompt = upperEstimate(prompt);
  const ofFiles = files.length * TOKENS_OF_UNKNOWN_SIZE;
  const each = tokensOf(image.size) + partial * TOKENS_OF_PARTIAL;
  return {
    model: String(fields["model"]),
    stream,
    includeUsage: true,
    measure: () => ({
      inputTokens: ofPrompt + ofFiles,
      mostInputTokens: Buffer.byteLength(prompt) + ofFiles + TOKENS_OF_UNKNOWN_SIZE,
      outputTokens: each * images,
      counts: { images, image },
    }),
    texts: () => [prompt],
    overheadTokens: ofFiles,
    unbounded: null,
    identity,
    write,
  };
}

/** Bytes are asked for, because what is answered by address would be the upstream's own. */
function forUpstream(
  fields: Readonly<Record<string, unknown>>,
  model: string,
): Readonly<Record<string, unknown>> {
  const { response_format: _, ...rest } = fields;
  const format = ANSWERS_WITH_BYTES.test(model) ? {} : { response_format: "b64_json" };
  return { ...rest, model, ...format };
}

function countOf(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  least: number,
  most: number,
): number {
  const value = fields[name] ?? least;
  const count = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : value;
  if (typeof count === "number" && Number.isInteger(count) && count >= least && count <= most)
    return count;
  throw new Fault("invalid_request", {
    message: `'${name}' must be a whole number from ${least} to ${most}.`,
    param: name,
  });
}

/** As the price has it: what is not asked for is left to the upstream. */
function wordOf(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : "auto";
}

function tokensOf(size: string): number {
  const [, width = 0, height = 0] = (SIZE.exec(size) ?? []).map(Number);
  if (width === 0 || height === 0) return TOKENS_OF_UNKNOWN_SIZE;
  return Math.max(TOKENS_A_MEGAPIXEL, Math.ceil((width * height * TOKENS_A_MEGAPIXEL) / MEGAPIXEL));
}

export function imageProtocol(endpoint: ImageCallEndpoint): CallProtocol {
  return {
    endpoint,
    path: endpoint === "images.edits" ? "/images/edits" : "/images/generations",
    streaming: MEDIA_EVENTS,

    readAnswer({ body }, call, hide) {
      const names = ["usage"];
      const answer = readJsonAnswer(body, { list: "data", names, expected: "images" }, hide);
      if (answer.kind !== "answer") return answer;
      const made = imagesIn(body);
      const { counts } = call.measure(null);
      return {
        kind: "answer",
        usage: usageOf(answer.member("usage")),
        text: "",
        // Fewer than were asked for cost less; more are the upstream's affair.
        counts: { ...counts, images: Math.min(counts.images ?? made, made) },
        finishReason: null,
      };
    },

    writeAnswer: (answer) => answer,
  };
}

/** What is generated are images, where nothing else is told apart. */
function usageOf(usage: unknown): UsageReading {
  if (!isRecord(usage)) return usage === undefined ? ABSENT_USAGE : readMediaUsage(usage);
  const details = usage["output_tokens_details"] ?? { image_tokens: usage["output_tokens"] };
  return readMediaUsage({ ...usage, output_tokens_details: details });
}

function imagesIn(body: Buffer): number {
  const { data } = JSON.parse(body.toString("utf8")) as { readonly data: readonly unknown[] };
  return data.filter((each) => isRecord(each)).length;
}
