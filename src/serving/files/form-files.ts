/**
 * Files that come in a form beside other fields: into the storage while they come, measured there,
 * and then kept as a file of the account or used once and forgotten.
 */
import type { Readable } from "node:stream";
import type { MediaKind } from "../../contract/enums/media-kind.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { detectType, HEAD_BYTES, type DetectedType } from "../../media/detect-type.ts";
import { findStandIn } from "./find-stand-in.ts";
import { hearErrors, inWords, type Intake, type ReceivedFile } from "./intake.ts";
import type { FileHead } from "./meter.ts";
import { createUploadPlaces } from "./upload-places.ts";

export interface FormFileCall {
  readonly key: { readonly keyId: Uuid | null; readonly accountId: Uuid };
  /** The field that it came in, for refusals. */
  readonly param: string;
  /** As its sender called it. */
  readonly fileName: string | null;
  readonly limitBytes: number;
  /** What it may begin like. */
  readonly kinds: readonly MediaKind[];
  /** Read to its end, or destroyed. */
  readonly source: Readable;
  readonly signal: AbortSignal;
}

export interface FormFiles {
  /**
   * Resolves when all bytes are in the storage; exactly one of the file's `commit` and `discard` is
   * to be called. Throws Fault: `request_too_large`, `invalid_request` for an empty file, a text in
   * its place and what is none of the kinds; those of the storage; `rate_limit_exceeded`,
   * `overloaded`.
   */
  receive(call: FormFileCall): Promise<ReceivedFile>;
  /** Takes no more, waits so long for those that come, and cuts off the rest. */
  drain(deadlineMs: number): Promise<void>;
}

const CALLED: Readonly<Record<MediaKind, string>> = {
  image: "an image",
  video: "a video",
  audio: "audio",
};

/** `intake`: whose quota is asked when a file is kept. */
export function createFormFiles({ intake }: { readonly intake: Intake }): FormFiles {
  const places = createUploadPlaces();
  return {
    async receive(call) {
      const { param, kinds, limitBytes, source, fileName } = call;
      hearErrors(source);
      let place;
      try {
        place = places.take(call.key.accountId);
      } catch (error) {
        source.destroy();
        throw error;
      }
      try {
        return await intake.receive({
          ...call.key,
          origin: "upload",
          fileName,
          limitBytes,
          source,
          signal: AbortSignal.any([call.signal, place.cut]),
          checkHead: (head, type) => checkHead(head, type, param, kinds),
        });
      } catch (error) {
        throw inField(error, param, limitBytes);
      } finally {
        place.leave();
      }
    },
    drain: (deadlineMs) => places.drain(deadlineMs),
  };
}

async function checkHead(
  head: FileHead,
  type: DetectedType,
  param: string,
  kinds: readonly MediaKind[],
): Promise<void> {
  if (type.media !== null && kinds.includes(type.media)) return;
  const isMedia = async (bytes: Buffer): Promise<boolean> =>
    (await detectType(bytes.subarray(0, HEAD_BYTES))).media !== null;
  const standIn = await findStandIn(head, isMedia);
  const wanted = kinds.map((kind) => CALLED[kind]).join(" or ");
  throw new Fault("invalid_request", {
    message:
      standIn === null
        ? `'${param}' does not begin like ${wanted} that can be read.`
        : `'${param}' is ${standIn}. Send the file itself: its bytes as they are.`,
    param,
  });
}

/** The intake knows one field only. */
function inField(error: unknown, param: string, limitBytes: number): unknown {
  if (!(error instanceof Fault) || error.details.param !== "file") return error;
  if (error.code === "request_too_large")
    return new Fault(error.code, {
      message: `'${param}' has ${inWords(limitBytes)} at most.`,
      param,
    });
  return new Fault(error.code, { ...error.details, message: error.message, param });
}
