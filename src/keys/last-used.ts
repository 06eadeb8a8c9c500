/**
 * Collects which keys were used and writes it in batches, so that a busy key costs one row update a
 * minute and not one a request.
 */
import type { Clock } from "../kernel/clock.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { KeyUse } from "./store.ts";

export interface LastUsedRecorder {
  /** Costs a map write; never waits. */
  note(key: Omit<KeyUse, "usedAt">): void;
  /** Writes what was noted since the last time. */
  flush(): Promise<void>;
  /** Stops the timer and writes what is left. */
  close(): Promise<void>;
}

export interface LastUsedDeps {
  readonly clock: Clock;
  write(uses: readonly KeyUse[]): Promise<void>;
  /** A batch was lost; nothing but a display depends on it. */
  onError(error: unknown): void;
}

interface NotedUse extends Omit<KeyUse, "usedAt"> {
  usedAtMs: number;
}

const FLUSH_EVERY_MS = 60_000;
const BATCH = 1_000;

export function createLastUsedRecorder(deps: LastUsedDeps): LastUsedRecorder {
  let noted = new Map<Uuid, NotedUse>();

  async function flush(): Promise<void> {
    const uses = Array.from(noted.values(), ({ accountId, keyId, usedAtMs }) => ({
      accountId,
      keyId,
      usedAt: new Date(usedAtMs),
    }));
    noted = new Map();
    for (let start = 0; start < uses.length; start += BATCH) {
      try {
        await deps.write(uses.slice(start, start + BATCH));
      } catch (error) {
        deps.onError(error);
        return;
      }
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();
  return {
    note({ accountId, keyId }) {
      const usedAtMs = deps.clock.now().getTime();
      const before = noted.get(keyId);
      if (before === undefined) noted.set(keyId, { accountId, keyId, usedAtMs });
      else before.usedAtMs = usedAtMs;
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
