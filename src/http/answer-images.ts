/**
 * Images of a completed task as OpenAI's endpoints answer them: by their addresses, or as base64
 * that is written while the files are read.
 */
import { Readable } from "node:stream";
import type { ImageFormat } from "../contract/tasks/read-image-request.ts";
import type { FileReader } from "../serving/files/open-file.ts";
import type { TaskView } from "../serving/tasks/task-view.ts";
import { Fault } from "../kernel/faults.ts";
import type { AnswerContent } from "./route.ts";

type Files = NonNullable<TaskView["result"]>["files"];

/** What three bytes are in base64. */
const [BYTES_AT_ONCE, LETTERS_FOR_THEM] = [3, 4] as const;

/** `task`: completed. */
export function imagesContent(
  files: Pick<FileReader, "readFile">,
  task: TaskView,
  format: ImageFormat,
): AnswerContent {
  const images = task.result?.files ?? [];
  const created = Math.floor(Date.parse(task.completedAt ?? task.createdAt) / 1000);
  if (format === "url")
    return { json: { created, data: images.map(({ url }) => ({ url })), ...factsOf(images[0]) } };
  // Written by hand around the images: of 4K there are tens of megabytes, and several at once.
  const head = `{"created":${created},"data":[`;
  const facts = JSON.stringify(factsOf(images[0]));
  const tail = facts === "{}" ? "]}" : `],${facts.slice(1)}`;
  const [open, close] = ['{"b64_json":"', '"}'];
  const around = Buffer.byteLength(head + tail) + images.length * (open.length + close.length);
  const commas = Math.max(0, images.length - 1);
  const letters = images.reduce((sum, { bytes }) => sum + base64Length(bytes), 0);

  async function* written(first: Readable | null): AsyncGenerator<string> {
    let opened = first;
    yield head;
    for (const [index, image] of images.entries()) {
      yield `${index === 0 ? "" : ","}${open}`;
      yield* base64Of(opened ?? (await openImage(files, image.url)));
      opened = null;
      yield close;
    }
    yield tail;
  }
  return {
    contentType: "application/json; charset=utf-8",
    sizeBytes: around + commas + letters,
    // The first is opened while the answer can still be another.
    open: async () => {
      const [first] = images;
      const opened = first === undefined ? null : await openImage(files, first.url);
      return Readable.from(written(opened), { objectMode: false });
    },
  };
}

/** In pieces, while it is read. */
export async function* base64OfImage(
  files: Pick<FileReader, "readFile">,
  { url }: Files[number],
): AsyncGenerator<string> {
  yield* base64Of(await openImage(files, url));
}

async function openImage(files: Pick<FileReader, "readFile">, url: string): Promise<Readable> {
  const opened = await files.readFile({ name: url.slice(url.lastIndexOf("/") + 1) });
  if (opened === null)
    throw new Fault("gone", { message: "The images were made, and are removed by now." });
  return opened;
}

async function* base64Of(source: Readable): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % BYTES_AT_ONCE);
    if (whole > 0) yield bytes.toString("base64", 0, whole);
    rest = Buffer.from(bytes.subarray(whole));
  }
  if (rest.length > 0) yield rest.toString("base64");
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / BYTES_AT_ONCE) * LETTERS_FOR_THEM;
}

type ImageFacts = { readonly size?: string; readonly output_format?: string };

function factsOf(first: Files[number] | undefined): ImageFacts {
  return first === undefined ? {} : factsOfImage(first);
}

export function factsOfImage({ width, height, contentType }: Files[number]): ImageFacts {
  return {
    ...(width === null || height === null ? {} : { size: `${width}x${height}` }),
    ...(contentType.startsWith("image/")
      ? { output_format: contentType.slice("image/".length) }
      : {}),
  };
}
