/**
 * Turns the address of a customer's media into a stored file of ours that was measured and keeps
 * the rules: our own files as they lie in storage, any other through the safe fetch, and a JPEG in
 * place of what has to be one. A file that breaks a rule is not kept.
 */
import { Readable } from "node:stream";
import type { MediaKind } from "../../contract/enums/media-kind.ts";
import type { FileRecord } from "../../files/file-record.ts";
import { findFile } from "../../files/files.store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { checkMedia } from "../../media/check-media.ts";
import type { MediaFacts } from "../../media/media-facts.ts";
import { maxBytesOf, needsJpeg, type MediaRules } from "../../media/media-rules.ts";
import type { MediaSource, MediaWorkers } from "../../media/media-workers.ts";
import { FetchRefusal } from "../../net/fetch-refusal.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";
import { inWords, type Intake, type IntakeDeps } from "./intake.ts";
import {
  judgeMedia,
  judgeStored,
  wrongKind,
  type MediaBreach,
  type MediaJudgement,
} from "./judge-media.ts";
import { nameInUrl } from "./name-in-url.ts";
import { ownName } from "./own-name.ts";
import { storedSource } from "./stored-source.ts";

export interface TakeMediaCall {
  readonly url: string;
  /** Whose the copy is; our own files are public, so it does not matter whose those are. */
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly rules: MediaRules;
  /** `host:port` that may lie on private addresses. */
  readonly allowHosts?: readonly string[];
  /** For the fetch to its last byte. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export type TakenMedia =
  | { readonly kind: "taken"; readonly file: FileRecord; readonly facts: MediaFacts }
  /** The address cannot be used, or gave nothing. `transient`: the same address may work later. */
  | {
      readonly kind: "refused";
      readonly rule: string;
      readonly message: string;
      readonly transient: boolean;
    }
  /** The file is there, but must not be used: every rule that it breaks. */
  | { readonly kind: "rejected"; readonly breaches: readonly MediaBreach[] };

export interface TakeMediaDeps extends Pick<IntakeDeps, "db" | "storage"> {
  readonly media: Pick<MediaWorkers, "probe" | "toJpeg">;
  readonly intake: Intake;
  readonly safeFetch: Pick<SafeFetch, "get">;
  /** Without a slash at its end. */
  staticUrl(): string;
  /** For files whose rules name no size. */
  readonly limitBytes: number;
}

/**
 * Throws Fault: `storage_full`, `storage_quota_exceeded`, `overloaded`; and the signal's reason.
 * Nothing new is left then.
 */
export type TakeMedia = (call: TakeMediaCall) => Promise<TakenMedia>;

/** Leaves a file from wherever it turns out that it breaks rules. */
class Rejected extends Error {
  readonly breaches: readonly MediaBreach[];
  constructor(breaches: readonly MediaBreach[]) {
    super("the file breaks rules");
    this.breaches = breaches;
  }
}

export function createTakeMedia(deps: TakeMediaDeps): TakeMedia {
  const limitOf = (rules: MediaRules): number =>
    Math.min(maxBytesOf(rules) ?? Infinity, deps.limitBytes);

  async function takeOwn(name: string, call: TakeMediaCall): Promise<TakenMedia> {
    const found = judgeStored(await findFile(deps.db, name), call.rules);
    if (found.kind === "refused") return refused(found.breach.rule, found.breach.message);
    const { file } = found;
    const source = storedSource(deps.storage, file.name, file.bytes);
    // Measured when it was stored; what could not be measured then may be now.
    const facts = factsOf(
      found.judgement ?? judgeMedia(await deps.media.probe(source), file.bytes, call.rules),
    );
    return needsJpeg(facts, call.rules)
      ? storeJpeg(source, file.fileName, call)
      : { kind: "taken", file, facts };
  }

  async function takeForeign(call: TakeMediaCall): Promise<TakenMedia> {
    const { url, deadlineMs, allowHosts, signal, accountId, keyId, rules } = call;
    const limitBytes = limitOf(rules);
    const given = {
      maxBytes: limitBytes,
      deadlineMs,
      signal,
      ...(allowHosts === undefined ? {} : { allowHosts }),
    };
    const fetched = await deps.safeFetch.get(url, given);
    const fileName = nameInUrl(fetched.url);
    const received = await deps.intake.receive({
      accountId,
      keyId,
      origin: "fetched",
      fileName,
      limitBytes,
      source: fetched.body,
      signal,
      checkHead(_head, type) {
        if (!mayBecome(type.media, rules)) throw new Rejected([wrongKind(rules, type.contentType)]);
      },
    });
    try {
      const facts = factsOf(
        judgeMedia((await received.measure()) ?? notMeasured(), received.bytes, rules),
      );
      if (!needsJpeg(facts, rules)) return { kind: "taken", file: await received.commit(), facts };
      const jpeg = await storeJpeg(received.source, received.fileName, call);
      await received.discard();
      return jpeg;
    } catch (error) {
      await received.discard();
      throw error;
    }
  }

  /** A file of its own, of the account that needs it; what it was made from is left as it is. */
  async function storeJpeg(
    source: MediaSource,
    fileName: string,
    call: TakeMediaCall,
  ): Promise<TakenMedia> {
    const { accountId, keyId, signal, rules } = call;
    const limitBytes = limitOf(rules);
    const jpeg = await deps.media.toJpeg(source, { maxBytes: limitBytes });
    if (!jpeg.ok) throw new Rejected([{ rule: jpeg.reason, message: jpeg.message }]);
    const breaches = checkMedia({ facts: jpeg.facts, bytes: jpeg.bytes.length }, rules);
    if (breaches.length > 0) throw new Rejected(breaches);
    const received = await deps.intake.receive({
      accountId,
      keyId,
      origin: "fetched",
      fileName: `${fileName.replace(/\.webp$/i, "")}.jpg`,
      limitBytes,
      source: Readable.from([jpeg.bytes], { objectMode: false }),
      signal,
    });
    return { kind: "taken", file: await received.commit(), facts: jpeg.facts };
  }

  return async (call) => {
    const name = ownName(call.url, deps.staticUrl());
    try {
      return await (name === null ? takeForeign(call) : takeOwn(name, call));
    } catch (error) {
      if (isTooLarge(error))
        return { kind: "rejected", breaches: [largerThan(limitOf(call.rules))] };
      if (error instanceof FetchRefusal)
        return {
          kind: "refused",
          rule: error.rule,
          message: error.message,
          transient: error.transient,
        };
      if (error instanceof Rejected) return { kind: "rejected", breaches: error.breaches };
      if (error instanceof Fault && error.code === "invalid_request")
        return refused("empty", error.message);
      throw error;
    }
  };
}

function factsOf({ facts, breaches }: MediaJudgement): MediaFacts {
  if (facts === null || breaches.length > 0) throw new Rejected(breaches);
  return facts;
}

/**
 * It is not read to its end, so its size is unknown: but what there is of it breaks the rule
 * already.
 */
function isTooLarge(error: unknown): boolean {
  return error instanceof FetchRefusal
    ? error.rule === "too_large"
    : error instanceof Fault && error.code === "request_too_large";
}

function largerThan(limitBytes: number): MediaBreach {
  return {
    rule: "size",
    message: `The file has more than ${inWords(limitBytes)}, the most that is allowed.`,
  };
}

function notMeasured(): never {
  throw new Fault("overloaded", {
    message: "The file could not be measured. Try again.",
    retryAfterSeconds: 5,
  });
}

/**
 * A container's first bytes do not tell whether there are moving pictures in it, only that it is no
 * still one.
 */
function mayBecome(
  begins: MediaKind | null,
  { kind, orVideo }: Pick<MediaRules, "kind" | "orVideo">,
): boolean {
  return begins !== null && ((begins === "image") === (kind === "image") || orVideo !== undefined);
}

function refused(rule: string, message: string): TakenMedia {
  return { kind: "refused", rule, message, transient: false };
}
