/**
 * A caller's chat request, whichever protocol it came in: validated, measured, and ready to be sent
 * on.
 */
import type { Fault } from "../kernel/faults.ts";
import type { PriceRaise } from "../kernel/price-raises.ts";
import type { AccountSeal } from "./account-seal.ts";
import type { NeutralReading } from "./neutral/neutral-request.ts";
import type { PromptBlocks } from "./prompt-blocks.ts";
import type { ConversationNeeds } from "./responses/conversation-needs.ts";
import type { HostedTool } from "./hosted-tool.ts";

export interface ChatRequestEdit {
  /** The upstream's name of the model. */
  readonly model: string;
  /** Sets or inserts `stream`; undefined leaves it as it is. */
  readonly stream?: boolean;
  /**
   * True makes the upstream report its usage in a stream; false leaves that as it is; "never" takes
   * it back where the caller asks for it.
   */
  readonly includeUsage: boolean | "never";
  /** Places of tools that the upstream does not get; absent: it gets all. */
  readonly droppedTools?: ReadonlySet<number>;
}

export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  /**
   * The caller gets the usage at the end of a stream: where the protocol has a choice, because it
   * asked for it.
   */
  readonly includeUsage: boolean;
  /** The limit of the answer in tokens; null when none is given. */
  readonly maxTokens: number | null;
  readonly n: number;
  /**
   * Upper estimate of the prompt: texts, tools, schemas, the format's overhead, images, audio,
   * files. Bound it by the context window.
   */
  readonly inputTokens: number;
  /** What the prompt probably comes to, without a tokenizer. */
  readonly usualTokens: number;
  /**
   * What promptText() does not show, as is usual for it: the format's own tokens and media. Add it
   * to an exact count of promptText().
   */
  readonly overheadTokens: number;
  /** How many images the prompt carries. */
  readonly images: number;
  /**
   * The longest life that the request asks for its cached prompt: the dearest class in which its
   * input may be billed.
   */
  readonly cacheTtl: "5m" | "1h";
  /**
   * What in it makes its upstream dearer, in the order of the body. What is refused for it is for
   * the price to judge.
   */
  readonly raises: readonly PriceRaise[];
  /** What it asks of answers that are kept; absent where the protocol has none. */
  readonly conversation?: ConversationNeeds;
  /** Tools that are left out where they cannot be had; absent where the protocol refuses such. */
  readonly hostedTools?: readonly HostedTool[];
  /**
   * The parsed body, made when it is asked for where it holds large images. Never copy it with
   * Object.assign: it may carry an own `__proto__`.
   */
  readonly body: Record<string, unknown>;
  /**
   * For an upstream of the same protocol: the caller's bytes with only the named values changed;
   * its own bytes when nothing changes.
   */
  rewrite(edit: ChatRequestEdit): Buffer;
  /**
   * For an upstream of another protocol. Computed when asked for. `seal`: what the caller brings
   * back sealed is read by it; null where nothing sealed can be read.
   */
  neutral(seal?: AccountSeal | null): NeutralReading;
  /** All text of the prompt, media left out, for exact counting. */
  promptText(): string;
  /** The same in pieces: together they are the text. */
  promptTexts(): Iterable<string>;
  /** For comparing it with other prompts; made of the bytes, anew each time. */
  promptBlocks(): PromptBlocks;
  /**
   * Lets the parsed body go, for requests that live long: everything above still answers the same,
   * and parses it again where it needs to. To be called once the request has been sent on.
   */
  release(): void;
}

export type ChatRequestReading =
  | { readonly ok: true; readonly request: ChatRequest }
  | { readonly ok: false; readonly fault: Fault };
