/**
 * What a client library is to the matrix: the same questions for all of them, each asked in the
 * library's own way, and what its user gets to see.
 */
import { z } from "zod";
import type { Caller } from "../support/protocol-pairs.ts";

/** Where a client is pointed at. */
export interface Endpoint {
  /** Scheme, host and port; what a library adds to it is its own affair. */
  readonly url: string;
  readonly secret: string;
  readonly model: string;
  /** What the library must use, so that the scene hears of its requests. */
  readonly fetch: typeof fetch;
}

export type Picture =
  | { readonly kind: "base64"; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly schema: {
    readonly type: "object";
    readonly properties: Record<string, object>;
    readonly required: string[];
  };
}

export interface Question {
  readonly text: string;
  readonly system?: string;
  readonly picture?: Picture;
  readonly tools?: readonly ToolOffer[];
  /** The model shall think before it answers. */
  readonly thinking?: boolean;
  /** Stop at STOP_SEQUENCE. */
  readonly stop?: boolean;
  /** Default: MAX_TOKENS. */
  readonly maxTokens?: number;
  /** The answer shall be a `Weather`. */
  readonly structured?: boolean;
}

/**
 * More than may be held at once of a modest balance; less than the Anthropic SDK refuses to wait
 * for.
 */
export const MAX_TOKENS = 20_000;

export const STOP_SEQUENCE = "СТОП";

/** What a structured answer is. */
export const WEATHER = z.object({ city: z.string(), temperature: z.int(), sunny: z.boolean() });
export type Weather = z.infer<typeof WEATHER>;

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResult {
  readonly call: ToolCall;
  readonly text: string;
}

export interface ReportedUsage {
  /** All of the prompt, what came from a cache included. */
  readonly input: number;
  /** Of the prompt: from a cache. */
  readonly cached: number;
  readonly output: number;
}

export interface Answer {
  readonly text: string;
  /** Empty where the library does not show it. */
  readonly thinking: string;
  readonly calls: readonly ToolCall[];
  /** Why it ended, in the library's own word. */
  readonly finish: string;
  readonly usage: ReportedUsage;
  /** What the library made of a structured answer, else null. */
  readonly structured: unknown;
  /** Goes on with the conversation in the library's own way. */
  answerTools(results: readonly ToolResult[]): Promise<Answer>;
}

export type Ending = "stop" | "stop sequence" | "length" | "tools" | "structured";

/** An error as the user of a library tells it from others. */
export interface ClientFailure {
  /** The name of its class. */
  readonly kind: string;
  /** The HTTP status it carries; null for none. */
  readonly status: number | null;
  readonly message: string;
}

export interface ChatClient {
  readonly name: string;
  /** The protocol it speaks. */
  readonly protocol: Caller;
  readonly endings: Readonly<Record<Ending, string>>;
  /** Its user gets to see the thinking. */
  readonly showsThinking: boolean;
  /**
   * What earlier thinking it sends back along with the results of tools: unsigned thinking too,
   * only what is signed, or none.
   */
  readonly returnsThinking: "any" | "signed" | "none";
  /** It can put a structured answer together from a stream. */
  readonly streamsStructured: boolean;
  /**
   * In a stream it believes the end about the prompt's tokens; one that believes the start cannot
   * know those that the upstream tells at the end.
   */
  readonly believesEnd: boolean;
  /** The class of an error by its HTTP status, and of one in the middle of a stream. */
  readonly errors: {
    readonly badRequest: string;
    readonly server: string;
    readonly midStream: string;
  };
  ask(endpoint: Endpoint, question: Question, streamed: boolean): Promise<Answer>;
  /**
   * Streams an answer's text. Ends early when `hear` returns "leave"; rejects with what the library
   * raises.
   */
  listen(
    endpoint: Endpoint,
    question: Question,
    hear: (soFar: string) => "stay" | "leave",
  ): Promise<void>;
  /** Null for an error that is none of the library's. */
  readFailure(error: unknown): ClientFailure | null;
}
