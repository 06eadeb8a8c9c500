/** How a batch as a whole misbehaves: `[[batch: expire=2 slow=500]]` in the text of its first request. */

export interface BatchDirectives {
  /** Waits so long before it begins. */
  readonly slowMs: number;
  /** Expires when so many requests have run. */
  readonly expireAfter: number | null;
  /** Its file is found wanting. */
  readonly fail: boolean;
  /** It is made, and its answer is cut off. */
  readonly lose: boolean;
  /** Not one request runs before it is cancelled. */
  readonly stuck: boolean;
  /** It is refused with this status. */
  readonly refuse: number | null;
}

export function batchDirectives(text: string): BatchDirectives {
  const block = /\[\[batch:([^\]]*)\]\]/.exec(text)?.[1] ?? "";
  const words = new Map(
    block
      .trim()
      .split(/\s+/)
      .map((word) => {
        const [name = "", value = ""] = word.split("=");
        return [name, value] as const;
      }),
  );
  const number = (name: string): number | null =>
    words.has(name) ? Number(words.get(name) ?? 0) : null;
  return {
    slowMs: number("slow") ?? 0,
    expireAfter: number("expire"),
    fail: words.has("fail"),
    lose: words.has("lose"),
    stuck: words.has("stuck"),
    refuse: number("refuse"),
  };
}
