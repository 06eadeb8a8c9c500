/**
 * Fetches a medium that a task was given, as a provider would: no credentials, a few redirects,
 * within a size and a time.
 */
import { createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { FoundMedia } from "./model-field.ts";
import { detectMedia } from "../media/detect-media.ts";
import type { MeasuredMedia } from "../media/measure-media.ts";
import type { MediaStudio } from "../media/media-studio.ts";

/** What was found behind a URL. */
export type FetchedInput =
  | {
      readonly ok: true;
      readonly contentType: string;
      readonly bytes: number;
      readonly measured: MeasuredMedia;
    }
  | { readonly ok: false; readonly message: string };

const LIMIT_MS = 30_000;

class TooLarge extends Error {}

/** The message names the field and never the URL's content. */
export async function fetchInput(
  found: FoundMedia,
  studio: MediaStudio,
  signal: AbortSignal,
): Promise<FetchedInput> {
  const { path, url, field } = found;
  const refuse = (message: string): FetchedInput => ({ ok: false, message: `${path}: ${message}` });
  const file = await studio.scratch();
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    });
    if (!answer.ok || answer.body === null)
      return refuse(`file fetch failed with HTTP ${answer.status}. Check access settings.`);
    const bytes = await save(
      answer.body as ReadableStream<Uint8Array>,
      file,
      field.maxMb * 1024 * 1024,
    );
    const contentType = detectMedia(await readHead(file));
    const declared = /^(image|video|audio)\//.exec(answer.headers.get("content-type") ?? "")?.[1];
    if (
      contentType === null ||
      !field.types.includes(contentType) ||
      (declared !== undefined && declared !== field.media)
    )
      return refuse(
        `file type not supported: ${contentType ?? "unknown"}; accepted types: ${field.types.join(", ")}`,
      );
    const measured = await studio.measure(file, contentType);
    if (measured === null) return refuse("the file is damaged and cannot be read");
    if (measured.kind !== field.media)
      return refuse(`this is ${measured.kind}, not ${field.media}`);
    const [least, most] = field.seconds ?? [0, Infinity];
    if (
      measured.seconds !== null &&
      (measured.seconds < least - 0.1 || measured.seconds > most + 0.1)
    )
      return refuse(`the duration must be between ${least} and ${most} seconds`);
    if (Math.min(measured.width, measured.height) < (field.minPixels ?? 0))
      return refuse(`it must be at least ${field.minPixels} px wide and high`);
    return { ok: true, contentType, bytes, measured };
  } catch (error) {
    if (error instanceof TooLarge) return refuse(`the file is larger than ${field.maxMb} MB`);
    return refuse("file fetch failed. Check access settings or use our File Upload API instead.");
  } finally {
    await rm(file, { force: true });
  }
}

async function save(
  body: ReadableStream<Uint8Array>,
  file: string,
  limit: number,
): Promise<number> {
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > limit) done(new TooLarge("over the limit"));
      else done(null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(body), count, createWriteStream(file));
  return bytes;
}

async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
  return buffer.subarray(0, bytesRead);
}
