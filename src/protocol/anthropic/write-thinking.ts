/** Decides whether an upstream of the Messages protocol is asked to think, and how hard. */
import type { NeutralRequest, Reasoning, RequestTarget } from "../neutral/neutral-request.ts";
import type { Message } from "./write-conversation.ts";

export type Thinking =
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "adaptive" }
  | { readonly type: "disabled" };

export interface ThinkingSettings {
  /** Null leaves it to the model. */
  readonly thinking: Thinking | null;
  readonly effort: string | null;
}

const NOTHING: ThinkingSettings = { thinking: null, effort: null };

/**
 * What the effort of OpenAI's protocol comes to in tokens; `none`, and unknown words, come to
 * nothing.
 */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ["minimal", 2048],
  ["low", 2048],
  ["medium", 8192],
  ["high", 16_384],
  ["xhigh", 32_000],
  ["max", 32_000],
]);
const EFFORTS: ReadonlySet<string> = new Set(["low", "medium", "high", "xhigh", "max"]);

/**
 * The vendor's least budget; as much is kept for the answer, since thinking counts towards the
 * limit of both.
 */
const LEAST_TOKENS = 1024;

/** Null where thinking does not fit into the limit. */
function enabled(tokens: number, maxTokens: number): Thinking | null {
  const budget = Math.min(Math.max(Math.trunc(tokens), LEAST_TOKENS), maxTokens - LEAST_TOKENS);
  return budget < LEAST_TOKENS ? null : { type: "enabled", budget_tokens: budget };
}

function knownEffort(effort: string | null): string | null {
  return effort !== null && EFFORTS.has(effort) ? effort : null;
}

function wanted(
  reasoning: Reasoning,
  maxTokens: number,
  model: RequestTarget["reasoning"],
): ThinkingSettings {
  switch (reasoning.kind) {
    case "off":
      return { thinking: { type: "disabled" }, effort: null };
    case "adaptive":
      return { thinking: { type: "adaptive" }, effort: knownEffort(reasoning.effort) };
    case "budget":
      return { thinking: enabled(reasoning.tokens, maxTokens), effort: null };
    case "effort": {
      const tokens = BUDGETS.get(reasoning.effort);
      // The newest models refuse a budget.
      if (tokens !== undefined && model === "adaptive")
        return { thinking: { type: "adaptive" }, effort: knownEffort(reasoning.effort) ?? "low" };
      return tokens === undefined
        ? NOTHING
        : { thinking: enabled(tokens, maxTokens), effort: null };
    }
  }
}

/**
 * With a budget, the messages that call tools since the user last spoke must begin with their
 * thinking: calls and results are one turn of the assistant, and a turn thinks from its beginning
 * or not at all (platform.claude.com, thinking with tool use). What was called in earlier turns may
 * come without.
 */
function beginsWithThinking(messages: readonly Message[]): boolean {
  const asked = messages.findLastIndex(
    ({ role, content }) => role === "user" && content.every(({ type }) => type !== "tool_result"),
  );
  return messages.slice(asked + 1).every(({ role, content }) => {
    if (role === "user" || content.every(({ type }) => type !== "tool_use")) return true;
    return content[0]?.type === "thinking" || content[0]?.type === "redacted_thinking";
  });
}

/** Whether the vendor would refuse this request with thinking. */
function thinkingAllowed(
  { tools, toolChoice }: NeutralRequest,
  messages: readonly Message[],
  thinking: Thinking,
): boolean {
  if (tools.length > 0 && (toolChoice?.kind === "required" || toolChoice?.kind === "tool"))
    return false;
  // An answer that was begun without thinking cannot go on with it.
  if (messages.at(-1)?.role === "assistant") return false;
  return thinking.type === "adaptive" || beginsWithThinking(messages);
}

/**
 * `messages` as they go out, `maxTokens` the limit that goes out. A model that does not think is
 * not asked to.
 */
export function writeThinking(
  request: NeutralRequest,
  messages: readonly Message[],
  maxTokens: number,
  model: RequestTarget["reasoning"],
): ThinkingSettings {
  if (request.reasoning === null || model === false) return NOTHING;
  const settings = wanted(request.reasoning, maxTokens, model);
  const { thinking } = settings;
  if (thinking === null || thinking.type === "disabled") return settings;
  return thinkingAllowed(request, messages, thinking)
    ? settings
    : { thinking: null, effort: settings.effort };
}
