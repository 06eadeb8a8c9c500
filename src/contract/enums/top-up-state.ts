/** How far a top-up has come. */

/**
 * `created`: the provider has not answered yet. `pending`: it waits for the payer. `succeeded`:
 * paid and credited. `canceled`: not paid. `failed`: the provider did not take it. A late success
 * still credits a canceled one.
 */
export const TOP_UP_STATES = ["created", "pending", "succeeded", "canceled", "failed"] as const;
