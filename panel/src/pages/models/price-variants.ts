/**
 * What of a request may choose another price: the fields of a tariff's surcharges that hold values.
 */

export const VARIANTS = ["serviceTier", "speed", "inferenceGeo"] as const;
