/** An answer of `POST /v1/responses` that is kept, as its row tells it. */
import type { Uuid } from "../kernel/ids.ts";

/** Whose it is: another account's id finds nothing. */
export interface ResponseName {
  readonly accountId: Uuid;
  /** `resp_…`, as its caller was told it. */
  readonly responseId: string;
}

export interface NewResponse extends ResponseName {
  /** Its receipt. */
  readonly requestId: Uuid;
  readonly model: string;
  /** The one that it went on from; null: it began a conversation. */
  readonly previousId: string | null;
  /** What went on before it is summed up in it: a conversation is put together from here on. */
  readonly anew: boolean;
  /** How many answers of the conversation would be put before the next input, this one included. */
  readonly turns: number;
  /** What they come to, as JSON. */
  readonly replayedBytes: number;
  /** The items that were sent with it. */
  readonly sealedInput: Buffer;
  /** As its caller got it. */
  readonly sealedResponse: Buffer;
  /** Ids of the items of its output. */
  readonly itemIds: readonly string[];
  readonly retentionSeconds: number;
  /** All that the account may keep, files too. */
  readonly quotaBytes: number;
}

/** `full`: the account has no room; `taken`: another answer of the account has this id. */
export type KeepVerdict = "kept" | "full" | "taken";

export const KEEP_VERDICTS = ["kept", "full", "taken"] as const satisfies readonly KeepVerdict[];

/** What of an answer says how a conversation goes on from it. */
export interface ResponseHead {
  readonly responseId: string;
  readonly previousId: string | null;
  readonly anew: boolean;
  readonly turns: number;
  readonly replayedBytes: number;
}

export interface StoredResponse extends Pick<ResponseHead, "responseId"> {
  readonly sealedInput: Buffer;
  readonly sealedResponse: Buffer;
}
