/** What is still asked of a session before it may do anything. */

/**
 * `totp`: a code of the second factor. `password`: a password of the member's own. `enrol`: a second
 * factor, because the account wants one of all and the member has none.
 */
export const SESSION_STAGES = ["full", "totp", "password", "enrol"] as const;
export type SessionStage = (typeof SESSION_STAGES)[number];
