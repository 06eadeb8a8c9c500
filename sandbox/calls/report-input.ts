/** The usage of what was sent alone: true by the tokenizer, or false where a directive asks for it. */
import type { Directives } from "../parse-directives.ts";

const HUGE = 5_000_000_000;

/** Null: none is reported. */
export function reportInput(
  tokens: number,
  { usage }: Pick<Directives, "usage">,
): Readonly<Record<string, unknown>> | null {
  const both = (count: unknown): Readonly<Record<string, unknown>> => ({
    prompt_tokens: count,
    total_tokens: count,
  });
  switch (usage?.kind) {
    case "none":
      return null;
    case "zero":
      return both(0);
    case "negative":
      return both(-5);
    case "fraction":
      return both(tokens + 0.5);
    case "huge":
    case "overflow":
      return both(HUGE);
    case "text":
      return both(String(tokens));
    case "exact":
      return { prompt_tokens: usage.prompt, total_tokens: usage.prompt };
    default:
      return both(tokens);
  }
}
