/**
 * The body of an image edit: a form with its images, which go into the storage while they come, or
 * JSON that names them by their addresses.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { FormFileCall } from "../serving/files/form-files.ts";
import type { ReceivedFile } from "../serving/files/intake.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { BODY_DEADLINE_MS, JSON_BODY_LIMIT_BYTES } from "../kernel/limits.ts";
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

export type ImageForm =
  | {
      readonly kind: "form";
      readonly fields: Readonly<Record<string, string>>;
      /** In the order in which they came; each is to be committed or discarded. */
      readonly files: readonly FormImage[];
    }
  | {
      readonly kind: "json";
      readonly fields: Readonly<Record<string, unknown>>;
      /** Addresses, not checked. */
      readonly images: readonly unknown[];
      readonly bytes: Buffer;
    };

/** OpenAI's: 16 images of 50 MB, and a mask. */
const MOST_FILES = 17;
const FILE_LIMIT_BYTES = 50 * 1024 * 1024;
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
      fileLimitBytes: FILE_LIMIT_BYTES,
      pace: deps.pace,
      clock: deps.clock,
      async onFile({ field: param, fileName, source }) {
        const field = FILE_FIELD.exec(param)?.[1] as FormImage["field"];
        const file = await deps.receiveFormFile({
          key,
          param: field,
          fileName,
          limitBytes: FILE_LIMIT_BYTES,
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
  const bytes = await readBody(body.request, JSON_BODY_LIMIT_BYTES, BODY_DEADLINE_MS);
  const reading = readJsonObject(bytes, []);
  if (!reading.ok) throw reading.fault;
  const { images, image, ...fields } = reading.object.value;
  const listed = [images ?? image ?? []].flat();
  return {
    kind: "json",
    fields,
    images: listed.map((each) => (isRecord(each) ? each["image_url"] : each)),
    bytes,
  };
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
