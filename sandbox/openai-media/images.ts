/** OpenAI's image endpoints: real pictures of the asked size, whole or with partial ones before. */
import { readFile } from "node:fs/promises";
import { countTokens } from "../count-tokens.ts";
import type { MediaStudio } from "../media/media-studio.ts";
import type { ImageSpec } from "../media/output-spec.ts";
import { openaiDialect } from "../openai/dialect.ts";
import type { Directives } from "../parse-directives.ts";
import { stripDirectives } from "../read-directive-words.ts";
import { writeStream, writeWhole } from "../write-answer.ts";
import { fieldText, Refusal, tintOf, type MediaCall } from "./media-call.ts";

const SIZE = /^(\d{2,4})x(\d{2,4})$/;
const LARGEST_SIDE = 4096;
const USUAL_SIZE = "1024x1024";
/** Of a picture of 1024 × 1024. */
const TOKENS: Readonly<Record<string, number>> = { low: 272, medium: 1056, high: 4160 };
const USUAL_QUALITY = "medium";
const TOKENS_PER_IMAGE = 323;
const BLOCKED = { type: "image_generation_user_error", code: "moderation_blocked" };
const MOST_IMAGES = 10;
const MOST_PARTIAL = 3;

export interface ImagesOptions {
  readonly studio: MediaStudio;
  /** Of an address of a picture, for models that answer so. */
  readonly addressOf: (spec: ImageSpec) => string;
  readonly kind: "image_generation" | "image_edit";
  /** Between two events. */
  readonly pauseMs: number;
}

interface Asked {
  readonly prompt: string;
  readonly count: number;
  readonly size: string;
  readonly quality: string;
  readonly specs: readonly ImageSpec[];
  readonly partial: number;
  readonly stream: boolean;
}

export async function serveImages(call: MediaCall, options: ImagesOptions): Promise<string> {
  const asked = readAsked(call, options);
  const model = String(call.fields["model"]);
  const writing = { ...call, dialect: openaiDialect };
  const status = call.directives.status ?? 200;
  const pictures = await Promise.all(
    asked.specs.map(async (spec) =>
      (await readFile((await options.studio.make(spec)).path)).toString("base64"),
    ),
  );
  const facts = {
    background: "opaque",
    output_format: asked.specs[0]?.format ?? "png",
    quality: asked.quality,
    size: asked.size,
  };
  const usage = usageOf(call, asked);
  const created = Math.floor(Date.now() / 1000);
  if (asked.stream) {
    const events = pictures.flatMap((picture) => [
      ...Array.from({ length: asked.partial }, (_, index) => ({
        type: `${options.kind}.partial_image`,
        b64_json: picture,
        partial_image_index: index,
        created_at: created,
        ...facts,
      })),
      {
        type: `${options.kind}.completed`,
        b64_json: picture,
        created_at: created,
        ...facts,
        ...usage,
      },
    ]);
    const pieces = events.map(
      (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    const { end } = await writeStream(writing, pieces, options.pauseMs);
    return `${model} ${status} ${pieces.length} events ${end}`;
  }
  const byAddress = answersByAddress(call);
  const data = byAddress
    ? asked.specs.map((spec) => ({ url: options.addressOf(spec) }))
    : pictures.map((b64_json) => ({ b64_json }));
  const body = byAddress ? { created, data } : { created, data, ...facts, ...usage };
  const { end } = await writeWhole(writing, status, JSON.stringify(body), "application/json");
  return `${model} ${status} ${data.length} pictures ${end}`;
}

/** Models called gpt-image answer with bytes, as the vendor's; others by address unless asked. */
function answersByAddress({ fields }: MediaCall): boolean {
  const gptImage = String(fields["model"]).startsWith("gpt-image");
  return !gptImage && (fields["response_format"] ?? "url") === "url";
}

function readAsked({ fields, files, directives }: MediaCall, { kind }: ImagesOptions): Asked {
  const text = (name: string, otherwise: string): string => fieldText(fields, name, otherwise);
  const prompt = text("prompt", "");
  if (prompt === "") throw new Refusal("Missing required parameter: 'prompt'.", "prompt");
  if (text("model", "").startsWith("gpt-image") && fields["response_format"] !== undefined)
    throw new Refusal("Unknown parameter: 'response_format'.", "response_format");
  if (kind === "image_edit" && !files.some(({ field }) => /^image(\[\d*\])?$/.test(field)))
    throw new Refusal("Missing required parameter: 'image'.", "image");
  const count = Number(fields["n"] ?? 1);
  if (!Number.isInteger(count) || count < 1 || count > MOST_IMAGES)
    throw new Refusal("Invalid value for 'n'.", "n");
  const size = text("size", "auto") === "auto" ? USUAL_SIZE : text("size", "");
  const [, width = 0, height = 0] = (SIZE.exec(size) ?? []).map(Number);
  if (!(width > 0 && height > 0 && Math.max(width, height) <= LARGEST_SIDE))
    throw new Refusal(`Invalid value: '${size}'.`, "size");
  const quality = text("quality", "auto") === "auto" ? USUAL_QUALITY : text("quality", "");
  if (TOKENS[quality] === undefined) throw new Refusal(`Invalid value: '${quality}'.`, "quality");
  const format = text("output_format", "png");
  if (format !== "png" && format !== "jpeg")
    throw new Refusal(`Invalid value: '${format}'.`, "output_format");
  const partial = Number(fields["partial_images"] ?? 0);
  if (!Number.isInteger(partial) || partial < 0 || partial > MOST_PARTIAL)
    throw new Refusal("Invalid value for 'partial_images'.", "partial_images");
  if (directives.refusal)
    throw new Refusal("Your request was rejected by the safety system.", null, BLOCKED);
  const tint = tintOf(stripDirectives(prompt));
  return {
    prompt,
    count,
    size,
    quality,
    partial,
    stream: text("stream", "false") === "true",
    specs: Array.from({ length: count }, (_, index) => ({
      kind: "image",
      format,
      width,
      height,
      tint: (tint + index) % 16,
    })),
  };
}

function usageOf(call: MediaCall, asked: Asked): { readonly usage?: object } {
  const [, width = 0, height = 0] = (SIZE.exec(asked.size) ?? []).map(Number);
  const each = Math.ceil(((TOKENS[asked.quality] ?? 0) * width * height) / 1024 ** 2);
  const text = countTokens(asked.prompt);
  const image = call.files.length * TOKENS_PER_IMAGE;
  const figures = { input: text + image, output: each * asked.count };
  const reported = reportedFigures(call.directives, figures);
  if (reported === null) return {};
  return {
    usage: {
      total_tokens: reported.input + reported.output,
      input_tokens: reported.input,
      output_tokens: reported.output,
      input_tokens_details: {
        text_tokens: Math.min(text, reported.input),
        image_tokens: Math.min(image, reported.input),
      },
    },
  };
}

/** What a `usage` directive makes of the true figures; null: nothing is reported. */
export function reportedFigures(
  { usage }: Directives,
  figures: { readonly input: number; readonly output: number },
): { readonly input: number; readonly output: number } | null {
  switch (usage?.kind) {
    case undefined:
    case "start":
    case "delta":
      return figures;
    case "none":
      return null;
    case "zero":
      return { input: 0, output: 0 };
    case "negative":
      return { input: -5, output: -5 };
    case "fraction":
      return { input: 0.5, output: 0.5 };
    case "huge":
    case "overflow":
    case "text":
      return { input: 5_000_000_000, output: 5_000_000_000 };
    case "exact":
      return { input: usage.prompt, output: usage.completion };
  }
}
