/** The port of batches of providers: how one is made, found, asked after, stopped and read. */
import type { Readable } from "node:stream";
import type { OpenedBody } from "../../protocol/calls/call-protocol.ts";
import type { UpstreamTarget } from "../chat-post.ts";

export interface BatchTarget extends UpstreamTarget {
  readonly credential: string;
  /** Headers of the caller's that the upstream's protocol shares. */
  readonly forward: Readonly<Record<string, string>>;
}

/** One request, as it would be sent by itself. */
export interface SingleRequest {
  /** Its path, the base URL's included. */
  readonly path: string;
  readonly body: Buffer;
}

/** What a batch is submitted as. */
export interface PassOrder {
  /** Names it, at the upstream and in the ids of its requests. */
  readonly tag: string;
  readonly fileId: string | null;
  readonly body: OpenedBody;
  /** The path that all its requests have, as `SingleRequest` has it. */
  readonly path: string;
}

export type Submission =
  | { readonly kind: "made"; readonly id: string }
  /** It is certain that there is none. */
  | { readonly kind: "refused"; readonly words: string }
  /** It may be there. */
  | { readonly kind: "unknown"; readonly words: string };

export type Upload =
  | { readonly kind: "done"; readonly fileId: string | null }
  | { readonly kind: "refused"; readonly words: string }
  | { readonly kind: "later"; readonly words: string };

export type Look =
  | { readonly kind: "running" }
  /** Where its results are, as `results` takes it. */
  | { readonly kind: "ended"; readonly results: readonly string[] }
  /** The upstream knows no such batch any more. */
  | { readonly kind: "gone" }
  | { readonly kind: "later"; readonly words: string };

/** Of one request. `status` null: it was not answered, whatever the reason. */
export interface PassResult {
  readonly customId: string;
  readonly status: number | null;
  readonly body: Buffer | null;
}

export interface UpstreamBatches {
  /** What stands before, between and behind the requests of what is sent. */
  readonly frame: { readonly head: string; readonly between: string; readonly tail: string };
  writeRequest(customId: string, target: BatchTarget, request: SingleRequest): Buffer;
  /** What has to be there before it is submitted. */
  upload(target: BatchTarget, body: OpenedBody): Promise<Upload>;
  submit(target: BatchTarget, order: PassOrder): Promise<Submission>;
  /**
   * Batches that may be that of this tag, made since then, of so many requests; null: it cannot be
   * said now.
   */
  find(
    target: BatchTarget,
    wanted: { readonly tag: string; readonly since: Date; readonly lines: number },
  ): Promise<readonly string[] | null>;
  look(target: BatchTarget, id: string): Promise<Look>;
  /** False: it was not heard. */
  cancel(target: BatchTarget, id: string): Promise<boolean>;
  /** Null: they cannot be read now. */
  results(target: BatchTarget, place: string): Promise<Readable | null>;
  /** Null for a line that is no result. */
  readResult(line: Buffer): PassResult | null;
  /** Files of it that are of no use any more; never rejects. */
  tidy(target: BatchTarget, fileIds: readonly string[]): Promise<void>;
}
