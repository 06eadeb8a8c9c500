/** Which times the overview shows at a press, what it splits them by, and in which steps. */

/** Up to now. Any other time is told by its days. */
export const USAGE_RANGES = ["24h", "7d", "30d"] as const;
export type UsageRange = (typeof USAGE_RANGES)[number];

export const USAGE_PARTS = ["model", "key", "kind"] as const;
export type UsagePartKind = (typeof USAGE_PARTS)[number];

export const USAGE_GRAINS = ["hour", "day"] as const;
export type UsageGrain = (typeof USAGE_GRAINS)[number];
