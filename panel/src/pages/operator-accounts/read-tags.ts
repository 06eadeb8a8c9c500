/** Tags as they are typed: apart by commas, each once. */

export const MOST_TAGS = 10;
const LONGEST_TAG = 40;

/** Null: they are too many, or one is too long. */
export function readTags(typed: string): readonly string[] | null {
  const tags = [
    ...new Set(
      typed
        .split(/[,\n]/)
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ""),
    ),
  ];
  return tags.length > MOST_TAGS || tags.some((tag) => tag.length > LONGEST_TAG) ? null : tags;
}
