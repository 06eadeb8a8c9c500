/**
 * Which upstreams refuse to be asked for the usage of a stream, as they have shown themselves: a
 * memory of this process only.
 */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { UpstreamFailure } from "../routing/upstream-failure.ts";

export interface UsageRefusals {
  has(upstream: UpstreamConfig): boolean;
  /** What we ask for may be what was refused: then the same request is worth a call without it. */
  mayBe(failure: UpstreamFailure): boolean;
  /**
   * The same request was answered without it. The words of a refusal alone prove nothing, since
   * callers may have put them there.
   */
  add(upstream: UpstreamConfig): void;
}

/**
 * Mistral's words for a field that it does not know, and those of others, have its name in them.
 */
const NAMES_OPTION = /stream_options|include_usage/;

/** Of each catalogue anew, since an upstream may be another server in the next. */
export function createUsageRefusals(): UsageRefusals {
  const refused = new WeakSet<UpstreamConfig>();
  return {
    has: (upstream) => refused.has(upstream),
    mayBe: ({ kind, reason }) => kind === "caller" && NAMES_OPTION.test(reason),
    add: (upstream) => void refused.add(upstream),
  };
}
