/**
 * Which amounts make the provider of payments misbehave, by their kopecks: README.md has the table.
 */

export const FAULTS = {
  "11": "duplicate-notifications",
  "12": "late-notification",
  "13": "no-notification",
  "14": "notify-before-answer",
  "15": "create-500",
  "16": "create-reset",
  "17": "create-garbage",
  "18": "create-hang",
  "19": "create-refused",
  "21": "read-500",
  "22": "read-garbage",
  "23": "other-amount",
  "24": "other-currency",
  "25": "other-payment",
  "26": "read-hang",
} as const;

export type Fault = (typeof FAULTS)[keyof typeof FAULTS];

export function faultOf(value: string): Fault | null {
  const kopecks = /\.(\d\d)$/.exec(value)?.[1] ?? "";
  return kopecks in FAULTS ? FAULTS[kopecks as keyof typeof FAULTS] : null;
}
