/** Where the usage of a receipt came from (contract §6). */

/**
 * The upstream's own figure, our count of what was delivered, the same with what the upstream had
 * told to be cached of the prompt the last time, or none.
 */
export const USAGE_SOURCES = ["upstream", "counted", "counted-with-cache", "none"] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

export function isUsageSource(value: unknown): value is UsageSource {
  return USAGE_SOURCES.some((source) => source === value);
}
