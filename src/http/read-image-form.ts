/**
 * The body of an image edit: a form with its images, which go into the storage while they come, or
 * JSON that names them by their addresses.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { FormFileCall } from "../serving/files/form-files.ts";
import type { ReceivedFile } from "../serving/files/intake.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { BODY_DEADLINE_MS, CHAT_BODY_LIMIT_BYTES } from "../kernel/limits.ts";
import { isRecord } from "../protocol/json/is-record.ts";
import { readJsonObject } from "../protocol/json/read-json-object.ts";
import { readBody } from "./chat-body.ts";
import { readBoundary } from "./multipart-file.ts";
import { readMultipartForm, soleTexts } from "./multipart-form.ts";
import type { IncomingBody } from "./route.ts";
import type { PaceLimits } from "./sender-pace.ts";

export interface ImageFormDeps {
  receiveFormFile(call: FormFileCall): Promise<ReceivedFile>;
  readonly clock: Clock;
  readonly pace: PaceLimits;
}

export interface FormImage {
  /** Without what says that there are several. */
  readonly field: "image" | "mask" | "markup";
  readonly file: ReceivedFile;
}

/** One whose images have come. */
export interface ReadForm {
  readonly kind: "form";
  readonly fields: Readonly<Record<string, string>>;
  /** In the order in which they came; each is to be committed or discarded. */
  readonly files: readonly FormImage[];
}

/** JSON in its place. */
export interface NamedForm {
  readonly kind: "json";
  /** `mask` is among them, as it was sent. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Addresses, not checked. */
  readonly images: readonly unknown[];
  readonly mask: unknown;
  readonly bytes: Buffer;
}

export type ImageForm = ReadForm | NamedForm;

/** OpenAI's: 16 images of 50 MB, and a mask. */
export const MOST_IMAGES = 16;
export const IMAGE_LIMIT_BYTES = 50 * 1024 * 1024;
const MOST_FILES = MOST_IMAGES + 1;
const FILE_FIELD = /^(image|mask|markup)(?:\[\d*\])?$/;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Throws what can be said by the headers alone. */
export function checkImageFormHead(headers: IncomingHttpHeaders): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    throw new Fault("unsupported_media_type", {
      message: "Send the body uncompressed; content-encoding is not taken.",
    });
  if (!JSON_TYPE.test(headers["content-type"] ?? "")) readFormBoundary(headers);
}

/** Throws what `readMultipartForm` does, and what the storage refuses; nothing is left then. */
export async function readImageForm(
  deps: ImageFormDeps,
  key: FormFileCall["key"],
  headers: IncomingHttpHeaders,
  body: IncomingBody,
): Promise<ImageForm> {
  body.begin();
  if (JSON_TYPE.test(headers["content-type"] ?? "")) return readAddresses(body);
  const files: FormImage[] = [];
  try {
    const texts = await readMultipartForm(body.request, {
      boundary: readFormBoundary(headers),
      isFile: (name) => FILE_FIELD.test(name),
      maxFiles: MOST_FILES,
      fileLimitBytes: IMAGE_LIMIT_BYTES,
      pace: deps.pace,
      clock: deps.clock,
      async onFile({ field: param, fileName, source }) {
        const field = FILE_FIELD.exec(param)?.[1] as FormImage["field"];
        const file = await deps.receiveFormFile({
          key,
          param: field,
          fileName,
          limitBytes: IMAGE_LIMIT_BYTES,
          kinds: ["image"],
          source,
          signal: body.signal,
        });
        files.push({ field, file });
      },
    });
    return { kind: "form", fields: Object.fromEntries(soleTexts(texts)), files };
  } catch (error) {
    await Promise.all(files.map(({ file }) => file.discard()));
    throw error;
  }
}

async function readAddresses(body: IncomingBody): Promise<ImageForm> {
  // Images may be in it, as `data:` addresses.
  const bytes = await readBody(body.request, CHAT_BODY_LIMIT_BYTES, BODY_DEADLINE_MS);
  const reading = readJsonObject(bytes, []);
  if (!reading.ok) throw reading.fault;
  const { images, image, ...fields } = reading.object.value;
  const listed = [images ?? image ?? []].flat();
  return {
    kind: "json",
    fields,
    images: listed.map((each, index) => addressOf(each, `images[${index}]`)),
    mask: addressOf(fields["mask"] ?? null, "mask"),
    bytes,
  };
}

function addressOf(named: unknown, param: string): unknown {
  if (!isRecord(named)) return named;
  if ((named["file_id"] ?? null) !== null)
    throw new Fault("invalid_request", {
      message: `'${param}.file_id': files of POST /v1/files are for batches alone. Send the image to POST /v1/storage/upload, and its URL as 'image_url'.`,
      param: `${param}.file_id`,
    });
  return named["image_url"];
}

function readFormBoundary(headers: IncomingHttpHeaders): string {
  const type = headers["content-type"];
  if (type === undefined || !/^multipart\/form-data\s*(?:;|$)/i.test(type))
    throw new Fault("unsupported_media_type", {
      message: "Send a form (multipart/form-data), or JSON that names images by their addresses.",
      param: "content-type",
    });
  return readBoundary(type);
}
