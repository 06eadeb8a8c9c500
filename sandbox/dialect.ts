/**
 * What a chat protocol must bring so that the sandbox speaks it: reading requests and writing
 * answers, nothing about pauses or faults.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "./compose-answer.ts";
import type { Conversation, Mistake } from "./conversation.ts";
import type { JsonObject } from "./is-object.ts";
import type { Directives } from "./parse-directives.ts";
import type { Figures } from "./report-usage.ts";

export interface Served {
  /** Random hex; the dialect puts its prefix before it. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** As it was sent: some protocols say it again in the answer. */
  readonly body: JsonObject;
  readonly conversation: Conversation;
  readonly answers: readonly Answer[];
  readonly figures: Figures | null;
  readonly directives: Directives;
}

export interface Dialect {
  /** Checks a body as the vendor would and reduces it to what it says. */
  read(
    body: JsonObject,
    headers: IncomingHttpHeaders,
  ):
    | { readonly ok: true; readonly conversation: Conversation }
    | { readonly ok: false; readonly mistake: Mistake };
  /** The stream, one string per whole SSE event. */
  events(served: Served): Iterable<string>;
  /** The body of the non-streamed answer. */
  whole(served: Served): unknown;
  error(mistake: Mistake): unknown;
  model(id: string): unknown;
  models(ids: readonly string[]): unknown;
  /** An error in the middle of a stream, as one SSE event. */
  errorEvent(message: string): string;
}
