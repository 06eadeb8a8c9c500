/** By what spend, and the operator's margin, are shown. */

export const SPEND_GROUPINGS = ["day", "key", "model", "group", "member"] as const;
export type SpendGrouping = (typeof SPEND_GROUPINGS)[number];

export const MARGIN_GROUPINGS = ["model", "upstream", "day"] as const;
