/**
 * The port of calls that are no chat: how a request of one endpoint is read and bounded, put to an
 * upstream, and its answer read and given back. A new kind of call is a file that implements it.
 */
import type { CallEndpoint } from "../../contract/enums/call-endpoint.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { CallCounts } from "../../contract/price/call-usage.ts";
import type { Fault } from "../../kernel/faults.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, FrameReader, StreamError, StreamWriter } from "../chat-dialect.ts";
import type { HideWords } from "../operator-words.ts";
import type { UsageReading } from "../usage-reading.ts";

/** What is known of a call before it is made. */
export interface CallMeasure {
  /** Upper estimate of what is sent: what a hold goes by. */
  readonly inputTokens: number;
  /** More than these no tokenizer makes of it: a usage above is not believed. */
  readonly mostInputTokens: number;
  /** The longest answer, all of its choices together; 0 where the answer is no text. */
  readonly outputTokens: number;
  /** What else its price may be by. */
  readonly counts: CallCounts;
}

/** A body that lies outside of memory: opened anew for every upstream that is tried. */
export interface OpenedBody {
  /** Exactly so many come. */
  readonly sizeBytes: number;
  open(): AsyncIterable<Buffer>;
}

/** What an upstream is sent. */
export interface CallBody {
  readonly contentType: string;
  readonly bytes: Buffer | OpenedBody;
}

/** A request that was read: validated, measured, ready to be sent on. */
export interface AskedCall {
  /** Null: it names none, and its type has one that is meant then. */
  readonly model: string | null;
  readonly stream: boolean;
  /** The form of its stream, where the endpoint has several; absent: that of its protocol. */
  readonly streaming?: CallStreaming;
  /** The caller of a stream gets its usage. */
  readonly includeUsage: boolean;
  /** `window`: of the model, where its catalogue entry says one. */
  measure(window: number | null): CallMeasure;
  /** All text that is sent, input by input, for an exact count. */
  texts(): Iterable<string>;
  /** Of what is sent, tokens that no text shows: those that were sent as such. */
  readonly overheadTokens: number;
  /** What no count of tokens bounds: refused where tokens are what is paid for; null: nothing. */
  readonly unbounded: { readonly param: string; readonly what: string } | null;
  /** Texts of it that the answer begins with, and that were not generated; absent: none are. */
  readonly echoed?: readonly string[];
  /** What makes the request the same as another one with its idempotency key. */
  readonly identity: Buffer;
  /** With the upstream's name of the model; every other byte as it came, where nothing must change. */
  write(model: string): CallBody;
  /** It is over, whatever became of it: lets go of what it has outside of memory. */
  release?(): void;
}

/** A whole answer, or what came in its place. */
export type CallAnswerReading =
  | {
      readonly kind: "answer";
      readonly usage: UsageReading;
      /** Generated text, for where the upstream does not count it. */
      readonly text: string;
      /** What the answer shows of what its price is by; it takes the place of what was asked. */
      readonly counts?: CallCounts;
      readonly finishReason: string | null;
    }
  | { readonly kind: "error"; readonly error: StreamError }
  | ({ readonly kind: "garbage" } & WordedReason);

export interface UpstreamAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** How an answer is given back. */
export interface AnswerWriting {
  /** The name that it gives the model; null leaves the upstream's. */
  readonly answerModel: string | null;
  /** What was charged. */
  readonly usage: TokenUsage;
}

/** Of an endpoint whose answers may be streamed. */
export interface CallStreaming {
  /** Of the caller's stream. */
  readonly contentType: string;
  /** What the upstream is asked to send. */
  readonly accept: string;
  /** Content types that are the answer as they come, whatever it begins with; absent: none are. */
  takes?(contentType: string): boolean;
  createReader(hide: HideWords): FrameReader;
  createWriter(identity: AnswerIdentity): Pick<StreamWriter, "writeAll" | "end">;
  /** The stream that says the same as a whole answer that came in its place; null for what is none. */
  streamOf(body: Buffer): Buffer | null;
  /** What a stream that broke off ends with; null where its form has no word for that. */
  errorEvent(fault: Fault): Buffer | null;
  /** For a caller that hears nothing; null where its form has none. */
  readonly keepAlive: Buffer | null;
}

export interface CallProtocol {
  readonly endpoint: CallEndpoint;
  /** Below the upstream's base URL. */
  readonly path: string;
  readAnswer(answer: UpstreamAnswer, asked: AskedCall, hide: HideWords): CallAnswerReading;
  writeAnswer(answer: UpstreamAnswer, writing: AnswerWriting): UpstreamAnswer;
  /** Null: answers come whole. */
  readonly streaming: CallStreaming | null;
}

/** One whose requests are JSON, read when all of it has come. */
export interface JsonCallProtocol extends CallProtocol {
  /** Throws a Fault. */
  read(body: Buffer): AskedCall;
}
