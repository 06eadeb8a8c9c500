/**
 * A process of its own that receives an upload, for tests that kill it:
 * `node upload-process.ts DATABASE_URL STORAGE_URL BYTES`.
 */
import { Readable } from "node:stream";
import { openDatabase } from "../../src/db/database.ts";
import { createIntake } from "../../src/serving/files/intake.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { openStorage } from "../../src/storage/open-storage.ts";

/** Its first line. */
export interface UploadStarted {
  readonly ownerId: Uuid;
}

/** Its second line, where the upload failed. */
export interface UploadFailed {
  readonly failed: string;
  readonly code: unknown;
}

const [databaseUrl = "", storageUrl = "", bytes = ""] = process.argv.slice(2);
const ownerId = newUuid();
const db = openDatabase({
  url: databaseUrl,
  poolSize: 2,
  applicationName: "upload process",
  onError: () => undefined,
});
const storage = await openStorage(storageUrl);
const intake = createIntake({
  db,
  storage,
  media: { probe: () => Promise.reject(new Error("nothing is measured here")) },
  ownerId,
  retentionDays: 1,
  quotaBytes: 2 ** 40,
  onError: (what, error) => process.stderr.write(`${what}: ${String(error)}\n`),
});
let left = Number(bytes);
const chunk = Buffer.alloc(64 * 1024, 0xa5);
const source = new Readable({
  read() {
    if (left > 0) {
      const piece = chunk.subarray(0, Math.min(left, chunk.length));
      left -= piece.length;
      this.push(piece);
    }
    // And no more comes: the test ends this process.
  },
});

function tell(line: UploadStarted | UploadFailed): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

// Its input keeps it alive, as a sender's connection would, and a test that ends does not leave it
// behind.
process.stdin.resume().once("close", () => process.exit(1));
tell({ ownerId });
try {
  await intake.receive({
    accountId: newUuid(),
    keyId: null,
    origin: "upload",
    fileName: "half.bin",
    limitBytes: 2 ** 40,
    source,
    signal: new AbortController().signal,
  });
} catch (error) {
  tell({ failed: String(error), code: (error as { code?: unknown }).code });
}
await db.close();
process.exit(0);
