/** What became of a webhook or a mail that was to be delivered. */

/** `pending`: not sent yet, or to be tried again. `given_up`: its tries are used up. */
export const DELIVERY_STATES = ["pending", "delivered", "given_up"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
