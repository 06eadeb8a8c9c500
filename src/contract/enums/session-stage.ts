/** What is still asked of a session before it may do anything. */

/** `totp`: a code of the second factor. `password`: a password of the member's own. */
export const SESSION_STAGES = ["full", "totp", "password"] as const;
export type SessionStage = (typeof SESSION_STAGES)[number];
