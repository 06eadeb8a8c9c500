/** Reads a usage from the JSON that it was stored as. */
import { type MediaTokens, TOKEN_USAGE_COUNTS, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../../protocol/json/is-record.ts";

const MEDIA = [
  "audioInput",
  "imageInput",
  "audioOutput",
  "imageOutput",
] as const satisfies readonly (keyof MediaTokens)[];

/** Null where there is none; counts that an older one lacks are zero. */
export function storedUsage(stored: unknown): TokenUsage | null {
  if (!isRecord(stored)) return null;
  const counts = countsOf(stored, TOKEN_USAGE_COUNTS);
  const { media } = stored;
  return isRecord(media) ? { ...counts, media: countsOf(media, MEDIA) } : counts;
}

function countsOf<Name extends string>(
  stored: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Record<Name, number> {
  const counts = names.map((name) => {
    const count = stored[name];
    return [name, typeof count === "number" && Number.isFinite(count) ? count : 0] as const;
  });
  return Object.fromEntries(counts) as Record<Name, number>;
}
