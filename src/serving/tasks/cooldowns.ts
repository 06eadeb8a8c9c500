/**
 * Which upstreams and credentials are left in peace for a while because they said so, or because
 * calling them is of no use. A memory of one process.
 */
import type { Clock } from "../../kernel/clock.ts";

export interface Rests {
  /** 0: it may be called. */
  restMs(upstream: string, credential?: string): number;
  rest(ms: number, upstream: string, credential?: string): void;
  /** It works again. */
  wake(upstream: string, credential: string): void;
}

const LONGEST_REST_MS = 300_000;

export function createRests(clock: Pick<Clock, "monotonicMs">): Rests {
  const untilMs = new Map<string, number>();
  // Neither name has a line break.
  const keyOf = (upstream: string, credential = ""): string => `${upstream}\n${credential}`;
  const left = (key: string): number => {
    const ms = (untilMs.get(key) ?? 0) - clock.monotonicMs();
    if (ms > 0) return ms;
    untilMs.delete(key);
    return 0;
  };

  return {
    restMs: (upstream, credential) => left(keyOf(upstream, credential)),
    rest: (ms, upstream, credential) =>
      void untilMs.set(
        keyOf(upstream, credential),
        clock.monotonicMs() + Math.min(ms, LONGEST_REST_MS),
      ),
    wake(upstream, credential) {
      untilMs.delete(keyOf(upstream));
      untilMs.delete(keyOf(upstream, credential));
    },
  };
}
