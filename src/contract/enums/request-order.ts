/** In which order requests are listed. */

/** `time`: the newest first; the others: what is most first, within one day. */
export const REQUEST_ORDERS = ["time", "charged", "duration"] as const;
export type RequestOrder = (typeof REQUEST_ORDERS)[number];
