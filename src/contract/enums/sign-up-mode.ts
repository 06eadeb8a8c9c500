/** Who may open an account here. */

/**
 * `code`: who has a code of the operator's. `domains`: who has an e-mail of a listed domain; members
 * whom an account invites need one as well. `closed`: no stranger; accounts are opened by operators.
 */
export const SIGN_UP_MODES = ["open", "code", "domains", "closed"] as const;
