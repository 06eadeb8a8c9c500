/** By what operators sort accounts: the newest, or the highest first. */

/** `seen`: by the last use of a key. */
export const ACCOUNT_SORTS = ["newest", "spent", "balance", "seen"] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];
