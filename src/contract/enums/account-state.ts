/** Whether an account may do anything. */

export const ACCOUNT_STATES = ["open", "blocked"] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];
