/** Per upstream: how many calls run at once, and which credential is next. */

export interface UpstreamSlots {
  /** Takes a place; false when the upstream's `maxConcurrent` is reached. */
  take(upstream: string, maxConcurrent: number): boolean;
  release(upstream: string): void;
  /** Names in turn, so that several credentials share the load. */
  nextCredential(upstream: string, names: readonly string[]): string | null;
}

export function createUpstreamSlots(): UpstreamSlots {
  const running = new Map<string, number>();
  const turns = new Map<string, number>();
  return {
    take(upstream, maxConcurrent) {
      const count = running.get(upstream) ?? 0;
      if (count >= maxConcurrent) return false;
      running.set(upstream, count + 1);
      return true;
    },
    release(upstream) {
      const count = running.get(upstream) ?? 0;
      running.set(upstream, Math.max(0, count - 1));
    },
    nextCredential(upstream, names) {
      const turn = turns.get(upstream) ?? 0;
      turns.set(upstream, turn + 1);
      return names[turn % names.length] ?? null;
    },
  };
}
