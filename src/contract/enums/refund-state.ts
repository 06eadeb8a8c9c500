/** The life of a refund by an operator, as PostgreSQL orders it. */
export const REFUND_STATES = ["created", "pending", "succeeded", "canceled"] as const;
export type RefundState = (typeof REFUND_STATES)[number];
