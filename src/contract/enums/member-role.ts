/** What a member may do in its account. */

/**
 * Each may more than the one before: look; keys, money and requests; everything, other members
 * among it.
 */
export const MEMBER_ROLES = ["viewer", "manager", "owner"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
