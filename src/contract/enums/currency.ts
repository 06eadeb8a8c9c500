/** The only currency: all amounts are in it. */

export const CURRENCY = "RUB";
