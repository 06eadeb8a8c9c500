/**
 * Copies a provider's result files into our storage, all of them or none, and measures each: they
 * have to be what the model makes.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Readable } from "node:stream";
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { FileRecord } from "../../files/file-record.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { MediaFacts } from "../../media/media-facts.ts";
import { FetchRefusal } from "../../net/fetch-refusal.ts";
import type { ResultFile } from "../../tasks/task-record.ts";
import type { Intake, ReceivedFile } from "../files/intake.ts";
import { nameInUrl } from "../files/name-in-url.ts";
import { NoFile, openResult, type OpenDeps } from "./collect-open.ts";

export interface CollectDeps extends OpenDeps {
  readonly resultIntake: Intake;
  readonly resultLimitBytes: number;
}

export interface ResultOrder {
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly urls: readonly string[];
  /** Of the credential; null: everybody may fetch the files. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly upstream: UpstreamConfig;
  /** What every file has to be. */
  readonly makes: "image" | "video";
  readonly signal: AbortSignal;
}

/** Received, and not yet visible to any caller. */
export interface CollectedFile {
  readonly received: ReceivedFile;
  /** Null for an image of a type that is not measured here. */
  readonly facts: MediaFacts | null;
}

/**
 * `expired`: its address gives nothing. `unusable`: it gives something else. The same addresses may
 * do better later, `transient` ones above all.
 */
export class UnfitResult extends Error {
  override name = "UnfitResult";
  readonly what: "expired" | "unusable";
  readonly why: WordedReason;
  /** A server was in trouble: nothing is said of the file. */
  readonly transient: boolean;
  constructor(
    what: "expired" | "unusable",
    why: WordedReason,
    { transient = false, cause }: { transient?: boolean; cause?: unknown } = {},
  ) {
    super(why.reason, cause === undefined ? undefined : { cause });
    this.what = what;
    this.why = why;
    this.transient = transient;
  }
}

/** For one file, to its last byte. */
const COPY_MS = 900_000;
/** Of one task at once. */
const AT_ONCE = 3;

/**
 * In the order of the URLs. Throws UnfitResult, or what went wrong on our side; nothing is left
 * then.
 */
export async function collectFiles(
  deps: CollectDeps,
  order: ResultOrder,
): Promise<CollectedFile[]> {
  const collected: CollectedFile[] = [];
  const left = order.urls.entries();
  let failed = false;
  async function collectNext(): Promise<void> {
    for (const [index, url] of left) {
      if (failed) return;
      try {
        collected[index] = await collect(deps, order, url, kindsAt(order.makes, index));
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }
  const outcomes = await Promise.allSettled(
    Array.from({ length: Math.min(AT_ONCE, order.urls.length) }, collectNext),
  );
  for (const outcome of outcomes) {
    if (outcome.status !== "rejected") continue;
    await discardAll(collected);
    throw outcome.reason;
  }
  return collected;
}

export async function discardAll(files: readonly CollectedFile[]): Promise<void> {
  await Promise.all(files.map(({ received }) => received.discard()));
}

type ResultKind = "image" | "video";

/**
 * The first file is what the model makes. With a film its last frame may come, as a picture (T3,
 * returnLastFrame).
 */
function kindsAt(makes: ResultKind, index: number): readonly ResultKind[] {
  return index > 0 && makes === "video" ? ["video", "image"] : [makes];
}

async function collect(
  deps: CollectDeps,
  order: ResultOrder,
  url: string,
  kinds: readonly ResultKind[],
): Promise<CollectedFile> {
  const { accountId, keyId, headers, upstream, signal } = order;
  const limitBytes = deps.resultLimitBytes;
  try {
    const source: Readable = await openResult(deps, {
      url,
      headers,
      upstream,
      maxBytes: limitBytes,
      deadlineMs: COPY_MS,
      signal,
    });
    const received = await deps.resultIntake.receive({
      accountId,
      keyId,
      origin: "result",
      fileName: nameInUrl(url),
      limitBytes,
      source,
      signal,
      checkHead(_head, type) {
        // A container's first bytes do not tell whether there are moving pictures in it, only that
        // it is no still one.
        const fits =
          type.media !== null &&
          kinds.some((kind) => (type.media === "image") === (kind === "image"));
        if (!fits)
          throw new UnfitResult(
            "unusable",
            sayReason("file_begins_otherwise", {
              contentType: type.contentType,
              wanted: kinds.join(" or "),
            }),
          );
      },
    });
    return await measure(received, kinds);
  } catch (error) {
    throw asUnfit(error);
  }
}

async function measure(
  received: ReceivedFile,
  kinds: readonly ResultKind[],
): Promise<CollectedFile> {
  const verdict = await received.measure();
  if (verdict?.ok === true && kinds.some((kind) => verdict.facts.kind === kind))
    return { received, facts: verdict.facts };
  if (verdict?.ok === false && verdict.reason === "unsupported" && kinds.includes("image"))
    return { received, facts: null };
  await received.discard();
  if (verdict === null)
    throw new Fault("overloaded", { message: "The file could not be measured." });
  throw new UnfitResult(
    "unusable",
    verdict.ok
      ? sayReason("file_of_another_kind", {
          media: verdict.facts.kind,
          wanted: kinds.join(" or "),
        })
      : sayReason("file_not_measured", { words: verdict.message }),
  );
}

function asUnfit(error: unknown): unknown {
  if (error instanceof FetchRefusal) {
    const gone = error.transient || error.rule === "status";
    const why = sayReason("file_not_fetched", { words: error.message });
    return new UnfitResult(gone ? "expired" : "unusable", why, {
      transient: error.transient,
      cause: error,
    });
  }
  if (error instanceof NoFile)
    return new UnfitResult("expired", error.why, { transient: error.transient, cause: error });
  if (error instanceof Fault && error.code === "request_too_large") {
    return new UnfitResult("unusable", sayReason("file_too_large"), { cause: error });
  }
  if (error instanceof Fault && error.code === "invalid_request")
    return new UnfitResult("unusable", sayReason("file_empty"), { cause: error });
  return error;
}

/** As the task's owner reads of it. */
export function resultFileOf(file: FileRecord, facts: MediaFacts | null): ResultFile {
  const { name, contentType, bytes, expiresAt } = file;
  return {
    name,
    contentType,
    bytes,
    width: facts === null || facts.kind === "audio" ? null : facts.width,
    height: facts === null || facts.kind === "audio" ? null : facts.height,
    durationSeconds: facts === null || facts.kind === "image" ? null : facts.durationSeconds,
    expiresAt: expiresAt.toISOString(),
  };
}
