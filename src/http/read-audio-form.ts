/**
 * The form of a transcription: its file goes into the storage while it comes and is measured there,
 * so that its price is known before anything is held.
 */
import type { IncomingMessage } from "node:http";
import type { FormFileCall } from "../serving/files/form-files.ts";
import type { CallRequest } from "../serving/calls/call-request.ts";
import type { ReceivedFile } from "../serving/files/intake.ts";
import type { SentSound } from "../protocol/calls/transcription.ts";
import { assert } from "../kernel/assert.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { readBoundary } from "./multipart-file.ts";
import { readMultipartForm, type FormTexts } from "./multipart-form.ts";
import type { PaceLimits } from "./sender-pace.ts";

export interface AudioFormDeps {
  receiveFormFile(call: FormFileCall): Promise<ReceivedFile>;
  readonly clock: Clock;
  readonly pace: PaceLimits;
}

/** Whose body is still unread. */
export interface SentAudio {
  readonly request: IncomingMessage;
  readonly key: FormFileCall["key"];
  /** Aborted when its sender has left. */
  readonly signal: AbortSignal;
}

/** OpenAI's. */
const FILE_LIMIT_BYTES = 25 * 1024 * 1024;
const FIELD = "file";

/**
 * Throws what `readMultipartForm` does and what the storage refuses, `invalid_request` for what has
 * no measurable length; nothing is left then.
 */
export async function readAudioForm(
  deps: AudioFormDeps,
  { request, key, signal }: SentAudio,
): Promise<SentSound> {
  let received: ReceivedFile | null = null;
  try {
    const texts = await readMultipartForm(request, {
      boundary: readFormBoundary(request.headers["content-type"]),
      isFile: (name) => name === FIELD,
      maxFiles: 1,
      fileLimitBytes: FILE_LIMIT_BYTES,
      pace: deps.pace,
      clock: deps.clock,
      async onFile({ fileName, source }) {
        received = await deps.receiveFormFile({
          key,
          param: FIELD,
          fileName,
          limitBytes: FILE_LIMIT_BYTES,
          kinds: ["audio", "video"],
          source,
          signal,
        });
      },
    });
    return await measured(texts, received);
  } catch (error) {
    await (received as ReceivedFile | null)?.discard();
    throw error;
  }
}

/** Of a call at its endpoint, which has left the body. */
export function readCalledAudio(deps: AudioFormDeps, call: CallRequest): Promise<SentSound> {
  const { incoming, key, reply } = call;
  assert(incoming !== undefined, "a form is read as it comes");
  const left = new AbortController();
  reply.onGone(() => left.abort());
  // The endpoint's own request, whose body is still unread.
  const request = incoming as IncomingMessage;
  return readAudioForm(deps, { request, key, signal: left.signal });
}

async function measured(texts: FormTexts, received: ReceivedFile | null): Promise<SentSound> {
  if (received === null)
    throw new Fault("invalid_request", {
      message: `There is no '${FIELD}' in the form. Send the sound as that part.`,
      param: FIELD,
    });
  const verdict = await received.measure();
  if (verdict === null)
    throw new Fault("overloaded", {
      message: "The file could not be measured. Try again.",
      retryAfterSeconds: 5,
    });
  if (!verdict.ok)
    throw new Fault("invalid_request", {
      message: `'${FIELD}': ${verdict.message}`,
      param: FIELD,
    });
  const { facts } = verdict;
  if (facts.kind === "image" || facts.durationSeconds <= 0)
    throw new Fault("invalid_request", {
      message: `'${FIELD}' has no sound of any length.`,
      param: FIELD,
    });
  const { fileName, bytes, sha256 } = received;
  return {
    texts,
    file: {
      fileName,
      contentType: facts.contentType,
      bytes,
      open: async () => received.open(),
    },
    sha256,
    milliseconds: Math.ceil(facts.durationSeconds * 1000),
    release: () => void received.discard(),
  };
}

/** Throws what can be said by the headers alone. */
export function readFormBoundary(contentType: string | undefined): string {
  if (contentType === undefined || !/^multipart\/form-data\s*(?:;|$)/i.test(contentType))
    throw new Fault("unsupported_media_type", {
      message: "Send a form: multipart/form-data with the sound as the part 'file'.",
      param: "content-type",
    });
  return readBoundary(contentType);
}
