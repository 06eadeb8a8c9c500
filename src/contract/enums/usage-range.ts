/** Which times the overview shows at a press, which figure, what it splits it by, and in which steps. */

/** Up to now. Any other time is told by its days. */
export const USAGE_RANGES = ["24h", "7d", "30d"] as const;
export type UsageRange = (typeof USAGE_RANGES)[number];

export const USAGE_PARTS = ["model", "key", "member", "group", "kind"] as const;
export type UsagePartKind = (typeof USAGE_PARTS)[number];

/** Parts of them add up to the whole; those of a mean and of a share do not. */
export const ADDED_FIGURES = ["spent", "requests", "tokens", "errors"] as const;
export const USAGE_FIGURES = [...ADDED_FIGURES, "firstToken", "duration", "cache"] as const;
export type UsageFigure = (typeof USAGE_FIGURES)[number];

export const USAGE_GRAINS = ["hour", "day"] as const;
export type UsageGrain = (typeof USAGE_GRAINS)[number];
