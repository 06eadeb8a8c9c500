/** What alerts watch, whom they write to, and by which way. */

/**
 * `balance_below`: what the account owns falls below `threshold`. `spend_day`, `spend_month`:
 * charged since midnight in Moscow, or since the first of the month, reaches `threshold`.
 * `spend_spike`: the last hour's charges are more than `factor` times the mean hour of the seven
 * days before, and at least `threshold`. `limit_used`: of the limit of a group or a key, `percent` are
 * charged in its period.
 */
export const ALERT_KINDS = [
  "balance_below",
  "spend_day",
  "spend_month",
  "spend_spike",
  "limit_used",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** `members`: those that the rule names. By Telegram the same. */
export const MAIL_TO = ["owners", "members", "nobody"] as const;
export type MailTo = (typeof MAIL_TO)[number];

export const ALERT_CHANNELS = ["mail", "webhook", "telegram"] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];
