/** Counts what happens, by name, and shows the counts as a figure of `/metrics`. */
import type { Metrics, WatchedGauge } from "./metrics.ts";

/**
 * Returns what counts one. The names are a closed list of its caller's: one that strangers choose
 * would grow without end.
 */
export function countBy(
  metrics: Pick<Metrics, "watch">,
  figure: Required<Pick<WatchedGauge, "name" | "help" | "label">>,
): (name: string) => void {
  const counts = new Map<string, number>();
  metrics.watch({ ...figure, read: () => counts });
  return (name) => void counts.set(name, (counts.get(name) ?? 0) + 1);
}
