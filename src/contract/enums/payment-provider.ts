/** Through whom accounts are topped up, as payments remember it. */

/** `sandbox`: no real money. */
export type PaymentProviderName = "yookassa" | "sandbox";
