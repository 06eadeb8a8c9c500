/** What routes of batches find behind them in tests of other things: a database without batches, and no files. */
import type { Db } from "../../src/db/database.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import type { BatchRoutesDeps } from "../../src/http/routes/batch-routes.ts";
import { createAccountBatches } from "../../src/serving/batches/account-batches.ts";
import { createUploadPlaces } from "../../src/serving/files/upload-places.ts";
import { createBatchFiles } from "../../src/serving/batches/batch-files.ts";

const refuse = (): Promise<never> => Promise.reject(new Error("this test has no batches"));

export function noBatches(db: Db): BatchRoutesDeps {
  const storage = { read: async () => null, remove: async () => undefined };
  return {
    batches: createAccountBatches({ db, storage, wake: () => undefined }),
    createBatch: refuse,
    createMessageBatch: refuse,
    files: createBatchFiles({
      db,
      storage,
      intake: { receive: refuse },
      ownerId: newUuid(),
      idempotency: { begin: refuse, forget: async () => undefined },
      places: createUploadPlaces(),
      limitBytes: 1024,
      onError: () => undefined,
    }),
    baseUrl: () => "http://x",
  };
}
