/** What a member may do in its account. */

/**
 * Each sees more than the one before: a developer its own keys and what was done with them, all others
 * the whole account, which a viewer changes nothing of, a manager all but its members, an owner
 * everything.
 */
export const MEMBER_ROLES = ["developer", "viewer", "manager", "owner"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
