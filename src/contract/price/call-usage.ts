/** What one call used: its tokens, and what is counted beside them. */
import { NO_USAGE, type TokenUsage } from "../../kernel/token-usage.ts";

export interface CallUsage {
  readonly tokens: TokenUsage;
  readonly counts: CallCounts;
}

/** Whole numbers that are not negative; absent: it is not known how many, or there are none. */
export interface CallCounts {
  readonly documents?: number;
  readonly characters?: number;
  /** Of sound. */
  readonly milliseconds?: number;
  readonly images?: number;
  /** What the price of an image is looked up by, such as its size. */
  readonly image?: Readonly<Record<string, string>>;
}

export const NOTHING_CALLED: CallUsage = { tokens: NO_USAGE, counts: {} };

const COUNTS = ["documents", "characters", "milliseconds", "images"] as const;

/** Reads counts from the JSON that they were stored as. */
export function storedCounts(stored: unknown): CallCounts {
  if (typeof stored !== "object" || stored === null) return {};
  const given = stored as Readonly<Record<string, unknown>>;
  const counts = COUNTS.flatMap((name) => {
    const count = given[name];
    return typeof count === "number" && Number.isSafeInteger(count) && count >= 0
      ? [[name, count] as const]
      : [];
  });
  const { image } = given;
  return {
    ...Object.fromEntries(counts),
    ...(isTexts(image) ? { image } : {}),
  };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((text) => typeof text === "string")
  );
}
