/** A task that has failed, and wants to be told: what tests of webhooks begin with. */
import assert from "node:assert/strict";
import type { Db } from "../../src/db/database.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { endTask } from "../../src/tasks/end.store.ts";
import { insertTask } from "../../src/tasks/tasks.store.ts";

/** Returns its id; `callbackUrl` is told of it. */
export async function failedTask(
  db: Db,
  { accountId, callbackUrl }: { readonly accountId: Uuid; readonly callbackUrl: string },
): Promise<Uuid> {
  const taskId = newUuid();
  await db.transaction(async (tx) => {
    await insertTask(tx, {
      taskId,
      accountId,
      keyId: null,
      requestId: newUuid(),
      model: "m",
      parameterTable: "T19",
      parameters: { prompt: "a cat" },
      hasMedia: false,
      callbackUrl,
      priceVersion: 1,
      priceNano: 5n as never,
      priceByFilesNano: null,
      deadlineSeconds: 60,
    });
    const end = {
      state: "failed",
      code: "provider_error",
      message: "The provider failed to make it.",
      watch: null,
    } as const;
    assert.ok(await endTask(tx, { accountId, taskId, leaseId: null, phase: "ready", end }));
  });
  return taskId;
}
