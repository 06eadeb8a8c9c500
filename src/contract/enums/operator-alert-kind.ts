/** Troubles of the installation that operators are told of. */

/**
 * `circuit_open`: a route is not called any more because it failed too often. `receipts_parked`:
 * receipts could not be written. `payments_late`: payments were not asked about in time.
 * `margin_below`: the margin of the last whole day is below `percent`. `balance_below`: less is left
 * with the provider of an upstream than the catalogue says (`balance.alertBelow`).
 */
export const OPERATOR_ALERT_KINDS = [
  "circuit_open",
  "receipts_parked",
  "payments_late",
  "margin_below",
  "balance_below",
] as const;
export type OperatorAlertKind = (typeof OPERATOR_ALERT_KINDS)[number];
