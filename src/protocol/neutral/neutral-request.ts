/**
 * A chat request in no protocol's shape: what a request of one protocol is turned into on its way
 * to an upstream of another.
 */
import type { Fault } from "../../kernel/faults.ts";
import type { AccountSeal } from "../account-seal.ts";

/**
 * The upstream may keep the prompt up to here in its cache for so long. Dropped by protocols that
 * cache by themselves.
 */
export interface CacheMark {
  readonly ttl: "5m" | "1h";
}

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  readonly cache: CacheMark | null;
}

/** Base64 without a `data:` prefix, or an address that the upstream fetches. */
export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

export interface ImagePart {
  readonly kind: "image";
  readonly source: MediaSource;
  /** `low`, `high`, `auto` …, where the protocol has it. */
  readonly detail: string | null;
  readonly cache: CacheMark | null;
}

export interface DocumentPart {
  readonly kind: "document";
  readonly source: MediaSource | { readonly kind: "text"; readonly text: string };
  readonly name: string | null;
  readonly cache: CacheMark | null;
}

/** What a user, or a tool, can say. */
export type UserPart = TextPart | ImagePart | DocumentPart;

/**
 * Earlier reasoning. `signature` is the upstream's own seal and cannot be made up; null where the
 * upstream gave none.
 */
export interface ThinkingPart {
  readonly kind: "thinking";
  readonly text: string;
  readonly signature: string | null;
}

export type AssistantPart =
  | TextPart
  | ThinkingPart
  | { readonly kind: "redacted-thinking"; readonly data: string }
  | { readonly kind: "refusal"; readonly text: string }
  | {
      readonly kind: "tool-call";
      readonly id: string;
      readonly name: string;
      /** A JSON text, as the model wrote it; may be empty where it wrote nothing. */
      readonly arguments: string;
      /** Of the upstream that made the call, where it gave one. */
      readonly seal?: string;
      readonly cache: CacheMark | null;
    };

export interface ToolResult {
  readonly callId: string;
  readonly parts: readonly UserPart[];
  readonly isError: boolean;
  readonly cache: CacheMark | null;
}

/** Neighbours of one role are allowed: a writer whose protocol wants them merged merges them. */
export type NeutralTurn =
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[] }
  | { readonly role: "tool-results"; readonly results: readonly ToolResult[] }
  /** Instructions in the midst of the conversation. */
  | { readonly role: "system"; readonly parts: readonly TextPart[] };

export interface NeutralTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments; null where none was given. */
  readonly schema: Record<string, unknown> | null;
  readonly strict: boolean | null;
  readonly cache: CacheMark | null;
}

export type ToolChoice =
  | { readonly kind: "auto" | "none" | "required" }
  | { readonly kind: "tool"; readonly name: string };

/**
 * Whether and how hard the model thinks before it answers. Null in a request that says nothing
 * about it.
 */
export type Reasoning =
  | { readonly kind: "off" }
  /** `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max` …, as the caller wrote it. */
  | { readonly kind: "effort"; readonly effort: string }
  | { readonly kind: "budget"; readonly tokens: number }
  /** The model decides; `effort` is a hint. */
  | { readonly kind: "adaptive"; readonly effort: string | null };

/** A null schema asks for any JSON object. */
export interface AnswerFormat {
  readonly name: string | null;
  readonly description: string | null;
  readonly schema: Record<string, unknown> | null;
  readonly strict: boolean | null;
}

export interface NeutralRequest {
  /** What comes before the first turn. */
  readonly system: readonly TextPart[];
  readonly turns: readonly NeutralTurn[];
  readonly tools: readonly NeutralTool[];
  readonly toolChoice: ToolChoice | null;
  readonly parallelToolCalls: boolean | null;
  readonly maxTokens: number | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly stop: readonly string[];
  readonly format: AnswerFormat | null;
  readonly reasoning: Reasoning | null;
  /** Whom the caller acts for, by the caller's own name. */
  readonly user: string | null;
}

/** A refusal names the field that has no equivalent (`Fault` invalid_request with `param`). */
export type NeutralReading =
  | { readonly ok: true; readonly request: NeutralRequest }
  | { readonly ok: false; readonly fault: Fault };

/** What a writer of an upstream's request needs to know besides the request. */
export interface RequestTarget {
  /** The upstream's name of the model. */
  readonly model: string;
  readonly stream: boolean;
  /**
   * Of the model in the catalogue: what a missing limit becomes where the protocol demands one, and
   * what a larger one is cut to.
   */
  readonly maxOutputTokens: number;
  /**
   * Whether the model thinks before it answers; `adaptive`: as much as it thinks fit, not by a
   * budget. Null where it is not known.
   */
  readonly reasoning: boolean | "adaptive" | null;
  /** It is not to be asked for the usage of a stream, since it refuses that. */
  readonly refusesUsage?: boolean;
  /** What the caller brings back sealed is read by it. */
  readonly seal?: AccountSeal;
  /** Places of tools that an upstream of the caller's own protocol does not get. */
  readonly droppedTools?: ReadonlySet<number>;
}

export type RequestWriting =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly fault: Fault };
