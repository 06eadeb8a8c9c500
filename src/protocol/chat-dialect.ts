/**
 * The two ports of chat: the protocol a caller speaks and the protocol an upstream speaks. A folder
 * here implements one or both.
 */
import type { ChatEndpoint } from "../contract/enums/chat-endpoint.ts";
import type { ChatProtocol } from "../contract/enums/upstream-protocol.ts";
import type { CodedReason, WordedReason } from "../contract/operator/upstream-reason.ts";
import type { Fault } from "../kernel/faults.ts";
import type { UsedRaises } from "../kernel/price-raises.ts";
import type { TokenUsage } from "../kernel/token-usage.ts";
import type { AccountSeal } from "./account-seal.ts";
import type { ChatRequest, ChatRequestReading } from "./chat-request.ts";
import type { NeutralEvent } from "./neutral/neutral-event.ts";
import type { NeutralRequest, RequestTarget, RequestWriting } from "./neutral/neutral-request.ts";
import type { ByteRange } from "./json/splice-bytes.ts";
import type { HideWords } from "./operator-words.ts";
import type { UsageReading } from "./usage-reading.ts";

/**
 * An error that an upstream put inside a stream, or in place of an answer. Its words are safe for
 * callers.
 */
export interface StreamError {
  readonly message: string;
  /** The HTTP status the error amounts to, where its code or type says so. */
  readonly status: number | null;
  /** The upstream's own words for it, where it has any; absent of what we say ourselves. */
  readonly code?: string | null;
  readonly type?: string | null;
  readonly param?: string | null;
  /** Of what we say ourselves, for pages. */
  readonly coded?: CodedReason;
  /** See read-upstream-error.ts. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** One event of an upstream's stream. */
export interface Frame {
  /** `done`: the event that ends a whole answer, `[DONE]` or `message_stop`. */
  readonly kind: "data" | "done" | "comment" | "error" | "garbage";
  /** As it came, its closing blank line included. */
  readonly bytes: Buffer;
  /** The parsed event; null where it is no JSON object. */
  readonly payload: Record<string, unknown> | null;
  /** All text generated in this event, whatever field carries it. */
  readonly text: string;
  readonly hasContent: boolean;
  /** A finish reason is in it. */
  readonly finished: boolean;
  /**
   * Of what has been said so far, this event included, where this event says something of it; else
   * absent.
   */
  readonly usage: UsageReading;
  readonly error: StreamError | null;
  /**
   * It says what the frame before it says, only with another text: a reader that has seen that one
   * need not look at the payload again.
   */
  readonly repeats?: boolean;
}

/** Reads one upstream stream. */
export interface FrameReader {
  /**
   * Whole events only; a remainder waits for the next piece. Throws a RangeError when one event
   * passes its size limit.
   */
  push(chunk: Buffer): Frame[];
  /**
   * After a clean end of the connection, once: what was left, where it is a whole event but for its
   * blank line.
   */
  end(): Frame[];
  /**
   * All that belongs to the answer has been said, so a clean end of the connection makes it whole.
   */
  readonly finished: boolean;
  /** Why the first choice ended, in the upstream's word; null while it has not. */
  readonly finishReason: string | null;
  /** The model that the upstream says it is; null while it has not said. */
  readonly model: string | null;
  /**
   * What the stream has said so far that it used of what makes it dearer; another object once it
   * says more.
   */
  readonly used: UsedRaises;
}

/**
 * Null after the last frame of a whole answer: what the answer has left to say, its end where the
 * upstream gave no reason for it.
 */
export type EventReader = (frame: Frame | null) => NeutralEvent[];

/**
 * A whole answer: its usage and text, an error under status 200, or something that is no answer of
 * this protocol.
 */
export type AnswerReading =
  | {
      readonly kind: "answer";
      readonly usage: UsageReading;
      readonly text: string;
      readonly hasContent: boolean;
      readonly finishReason: string | null;
      /** The model that the upstream says it is. */
      readonly model: string | null;
      /** Where its name stands in the body, quotes included; null where that was not looked for. */
      readonly modelAt: ByteRange | null;
      /** What it says that it used of what makes it dearer. */
      readonly used: UsedRaises;
      /** Its own `usage`, as the upstream has it. */
      readonly reportedUsage: unknown;
      /** All of it, parsed when it is asked for. */
      readonly data: Record<string, unknown>;
    }
  | { readonly kind: "error"; readonly error: StreamError }
  | ({ readonly kind: "garbage" } & WordedReason);

/** The protocol that an upstream speaks. */
export interface UpstreamDialect {
  readonly protocol: ChatProtocol;
  /** `hide` is applied to the words of errors. */
  createFrameReader(hide?: HideWords): FrameReader;
  readAnswer(body: Buffer, hide?: HideWords): AnswerReading;
  /**
   * For whole answers (`AnswerReading.data`) that come where a stream was asked for: a stream of
   * this protocol that says the same.
   */
  streamOf(data: Record<string, unknown>): Buffer;
  /** For streams that come where a whole answer was asked for. */
  createAssembler(): Assembler;
  /** For callers of another protocol: what each frame of one stream says, in order. */
  createEventReader(): EventReader;
  /** For callers of another protocol: what a whole answer (`AnswerReading.data`) says. */
  answerEvents(data: Record<string, unknown>): NeutralEvent[];
  writeRequest(request: NeutralRequest, target: RequestTarget): RequestWriting;
}

/** What an answer says of itself where the upstream said nothing, or must not be quoted. */
export interface AnswerIdentity {
  /** The request's id, a UUID: what an answer's own id is made from. */
  readonly requestId: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The model, where the upstream does not name itself. */
  readonly model: string;
  /**
   * The model that the answer names, whatever the upstream calls itself: the one that was sold.
   * Null leaves the upstream's word.
   */
  readonly answerModel: string | null;
  /** How many tokens the prompt probably has: what a stream says of it before the upstream has. */
  readonly promptTokens: number;
  /** The caller gets the usage at the end of a stream. */
  readonly includeUsage: boolean;
  /** Absent for dialects that do not say it again (`ChatDialect.repeatsRequest`). */
  readonly asked?: AskedRequest;
}

/** What an answer is to, for protocols whose answers say it again. */
export interface AskedRequest {
  readonly request: Pick<ChatRequest, "body">;
  /** For what the caller is to bring back with its next request. */
  readonly seal: AccountSeal;
  /** The answer is to be kept. */
  readonly keeps: boolean;
  /** Now, in seconds since 1970. */
  seconds(): number;
}

/**
 * Turns the frames of one upstream stream, in order and once they are delivered, into the caller's
 * stream.
 */
export interface StreamWriter {
  /** Null where the caller gets nothing for this frame. */
  write(frame: Frame): Buffer | null;
  /** The same for several frames, in one piece. */
  writeAll(frames: readonly Frame[]): Buffer | null;
  /**
   * The end of a whole answer. `done` is the frame that ended it, null where the connection just
   * ended; `usage` is what was charged.
   */
  end(done: Frame | null, usage: TokenUsage): Buffer | null;
  /** The events that end the stream properly when the balance stopped it. */
  limitStop(usage: TokenUsage): Buffer;
  /**
   * The end of a stream that failed after its first byte, where the protocol's end goes on from what
   * was written.
   */
  failed?(fault: Fault): Buffer;
}

/** An event of the caller's protocol, before it is put on the wire. */
export type WireEvent = Record<string, unknown>;

/** Writes one answer in the caller's protocol from what an upstream of another protocol said. */
export interface EventWriter {
  write(events: readonly NeutralEvent[]): WireEvent[];
  /** The end of a whole answer, with the usage that was charged. */
  end(usage: TokenUsage): WireEvent[];
  /** The end of an answer that the balance stopped: what is open ends by the limit. */
  limitStop(usage: TokenUsage): WireEvent[];
  /** As that of a StreamWriter. */
  failed?(fault: Fault): WireEvent[];
}

/**
 * Collects the events of a stream into the answer that the upstream would have given without
 * streaming.
 */
export interface Assembler {
  /** Not changed, but parts of it may be kept. */
  add(event: WireEvent): void;
  /**
   * The JSON body. It shows this usage, which was charged; null leaves what the events said of it.
   * `stopped`: the balance stopped the answer, so what is open ends by the limit.
   */
  finish(usage: TokenUsage | null, stopped?: boolean): Buffer;
}

/** The protocol that a caller speaks. */
export interface ChatDialect {
  readonly endpoint: ChatEndpoint;
  /** Which of its actions, where the endpoint has another besides; its bodies mean something else. */
  readonly action?: "compact";
  /** The upstreams whose bytes pass as they are; null where there are none. */
  readonly native: ChatProtocol | null;
  /**
   * Headers (lower case) and query parameters of this protocol that such an upstream gets as the
   * caller sent them.
   */
  readonly forwarded: { readonly headers: readonly string[]; readonly query: readonly string[] };
  /** Answers say again what was asked: an AnswerIdentity has it. */
  readonly repeatsRequest?: boolean;
  readRequest(body: Buffer): ChatRequestReading;
  /** The same, a large body slice by slice: other work of the process goes on in between. */
  readRequestInSlices(body: Buffer): Promise<ChatRequestReading>;
  /** For upstreams of the native protocol. */
  createNativeWriter(identity: AnswerIdentity): StreamWriter;
  /** A whole answer of the native protocol with another model's name; every other byte stays. */
  renameModel(body: Buffer, model: string): Buffer;
  /** A whole answer of the native protocol with what else in it is the gateway's own. */
  ownAnswer?(body: Buffer, identity: AnswerIdentity): Buffer;
  /**
   * A whole answer of the native protocol that shows this usage, which was charged; `reported` is
   * its own `usage`. Every other byte stays.
   */
  showUsage(body: Buffer, reported: unknown, usage: TokenUsage): Buffer;
  createEventWriter(identity: AnswerIdentity): EventWriter;
  createAssembler(): Assembler;
  /** Puts events on the wire as server-sent events. */
  renderEvents(events: readonly WireEvent[]): Buffer;
  /** What ends every stream after its last event; empty where nothing does. */
  readonly streamEnd: Buffer;
  /**
   * The error event of a stream that failed after its first byte; what there is of it, `writer`
   * wrote.
   */
  errorEvent(fault: Fault, requestId: string, writer: StreamWriter): Buffer;
  /**
   * What a stream ends with says that the answer failed, for a cause that asking again does not
   * change. Then the connection ends in order behind it: where it broke, some clients would take the
   * failure for a lost connection, and ask and pay again. Behind all else it is broken, because others
   * take what ends in order for a whole answer. Absent: no event says so.
   */
  endsInFailure?(last: Buffer): boolean;
  readonly keepAlive: Buffer;
}
