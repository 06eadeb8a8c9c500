/**
 * Watches the heap of a gateway by its own metrics: the lowest that was seen, since what is left
 * after a collection says more than what lies there before one.
 */
export interface HeapWatch {
  reset(): void;
  /** Bytes; of all its processes. */
  lowest(): number;
  stop(): void;
}

const EVERY_MS = 2000;

export function watchHeap(metricsUrl: string): HeapWatch {
  let lowest = Number.NaN;
  async function look(): Promise<void> {
    const answer = await fetch(metricsUrl);
    const found = heapOf(await answer.text());
    lowest = Number.isNaN(lowest) ? found : Math.min(lowest, found);
  }
  // One that is not answered is missing, and the next one counts.
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS);
  return {
    reset: () => void (lowest = Number.NaN),
    lowest: () => lowest,
    stop: () => clearInterval(timer),
  };
}

function heapOf(metrics: string): number {
  const values = [...metrics.matchAll(/^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)$/gm)];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}
