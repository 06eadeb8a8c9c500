/** Usage in the anthropic shape: cached tokens are counted beside the input, not inside it. */
import type { JsonObject } from "../is-object.ts";
import type { Figures } from "../report-usage.ts";

/** The part that message_delta repeats: totals so far, which overwrite those of message_start. */
export function deltaUsageBody(figures: Figures): JsonObject {
  return {
    input_tokens: figures.uncached,
    cache_creation_input_tokens: figures.cacheWrite5m + figures.cacheWrite1h,
    cache_read_input_tokens: figures.cached,
    output_tokens: figures.completion,
    output_tokens_details: figures.reasoning === 0 ? null : { thinking_tokens: figures.reasoning },
    server_tool_use: null,
  };
}

export function usageBody(figures: Figures): JsonObject {
  return {
    ...deltaUsageBody(figures),
    cache_creation: {
      ephemeral_5m_input_tokens: figures.cacheWrite5m,
      ephemeral_1h_input_tokens: figures.cacheWrite1h,
    },
    service_tier: "standard",
  };
}

/**
 * message_start is sent before anything is generated: the output stands at a placeholder of 1, as
 * the vendor's does.
 */
export function startUsageBody(figures: Figures): JsonObject {
  if (figures.placement === "delta") return { input_tokens: 0, output_tokens: 0 };
  return {
    ...usageBody(figures),
    output_tokens: figures.completion === 0 ? 0 : 1,
    output_tokens_details: null,
  };
}
