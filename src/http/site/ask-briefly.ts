/** Asks once for all who want to know within a moment: what many readers see need not be asked often. */
import type { Clock } from "../../kernel/clock.ts";

/** A failure is not kept: the next one asks again. */
export function askBriefly<Value>(
  clock: Pick<Clock, "monotonicMs">,
  forMs: number,
  ask: () => Promise<Value>,
): () => Promise<Value> {
  let last: { readonly at: number; readonly answer: Promise<Value> } | null = null;
  return () => {
    const now = clock.monotonicMs();
    if (last !== null && now - last.at < forMs) return last.answer;
    const asked = { at: now, answer: ask() };
    last = asked;
    asked.answer.catch(() => {
      if (last === asked) last = null;
    });
    return asked.answer;
  };
}
