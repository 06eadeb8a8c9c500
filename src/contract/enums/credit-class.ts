/**
 * Classes of credit, in no order of use: what is given is used up before what was paid, a trial
 * before a bonus. Only what was paid can be paid back.
 */
export const CREDIT_CLASSES = ["paid", "trial", "bonus"] as const;
export type CreditClass = (typeof CREDIT_CLASSES)[number];
