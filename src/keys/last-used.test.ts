/**
 * Guards the cost of knowing when a key was last used: many requests, one write with the latest
 * time; a failed write harms nothing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLastUsedRecorder } from "./last-used.ts";
import type { KeyUse } from "./store.ts";

function stage(write?: (uses: readonly KeyUse[]) => Promise<void>) {
  const written: (readonly KeyUse[])[] = [];
  const errors: unknown[] = [];
  let seconds = 0;
  const recorder = createLastUsedRecorder({
    clock: { now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds++)), monotonicMs: () => 0 },
    write: async (uses) => {
      written.push(uses);
      await write?.(uses);
    },
    onError: (error) => errors.push(error),
  });
  return { recorder, written, errors };
}

test("a key used many times is written once, with its latest use; an idle minute writes nothing", async () => {
  const { recorder, written } = stage();
  recorder.note({ accountId: "of", keyId: "a" });
  recorder.note({ accountId: "of", keyId: "b" });
  recorder.note({ accountId: "of", keyId: "a" });
  await recorder.flush();
  await recorder.flush();
  assert.deepEqual(
    written.map((uses) => uses.map(({ keyId, usedAt }) => [keyId, usedAt.getUTCSeconds()])),
    [
      [
        ["a", 2],
        ["b", 1],
      ],
    ],
  );
  recorder.note({ accountId: "of", keyId: "c" });
  await recorder.close();
  assert.deepEqual(
    written.at(-1)?.map(({ keyId }) => keyId),
    ["c"],
  );
});

test("many keys are written in bounded batches", async () => {
  const { recorder, written } = stage();
  for (let index = 0; index < 2_500; index++)
    recorder.note({ accountId: "of", keyId: `key-${index}` });
  await recorder.close();
  assert.deepEqual(
    written.map((uses) => uses.length),
    [1_000, 1_000, 500],
  );
});

test("a write that fails is reported and forgotten", async () => {
  const { recorder, errors } = stage(() => Promise.reject(new Error("down")));
  recorder.note({ accountId: "of", keyId: "a" });
  await recorder.close();
  assert.deepEqual(errors.map(String), ["Error: down"]);
});
