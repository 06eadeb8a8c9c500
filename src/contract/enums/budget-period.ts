/** Over which time the limit of a key counts. */

/** Days and months begin at midnight in Moscow. */
export const BUDGET_PERIODS = ["day", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];
