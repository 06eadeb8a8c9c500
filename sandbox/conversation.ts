/**
 * What a chat request says, whichever protocol said it: the sandbox composes and counts on this
 * alone, so all protocols answer and cost the same.
 */

export interface Conversation {
  readonly model: string;
  readonly stream: boolean;
  readonly turns: readonly Turn[];
  /** Limit of generated tokens per choice, reasoning included; null where none was sent. */
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  /** Number of choices; always 1 for anthropic. */
  readonly choices: number;
  /**
   * Only tools with a schema of their own; a vendor's built-in tools are accepted and never called.
   */
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly parallelTools: boolean;
  /** The shape the answer's text must have; null for prose. */
  readonly format: { readonly schema: unknown } | null;
  readonly reasoning: boolean;
  /**
   * False: reasoning happens and is counted, its text is kept back (anthropic
   * `display: "omitted"`).
   */
  readonly showReasoning: boolean;
  /** openai `stream_options.include_usage`; anthropic streams always report. */
  readonly includeUsage: boolean;
}

export interface Turn {
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly Part[];
}

export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "result";
      readonly callId: string;
      readonly isError: boolean;
      readonly parts: readonly Part[];
    };

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  /** Its input is a text: the member `input` of what the schema asks for. */
  readonly custom?: true;
  readonly namespace?: string;
}

export type ToolChoice =
  | { readonly kind: "auto" | "none" | "required" }
  | { readonly kind: "named"; readonly name: string };

/** A request the vendor would refuse, in words for the caller. */
export interface Mistake {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
}

/** The text of the last user turn that has any; directives stand here. */
export function lastUserText(turns: readonly Turn[]): string {
  for (const turn of turns.toReversed()) {
    if (turn.role !== "user") continue;
    const texts = turn.parts.filter((part) => part.type === "text").map((part) => part.text);
    if (texts.length > 0) return texts.join("\n");
  }
  return "";
}
