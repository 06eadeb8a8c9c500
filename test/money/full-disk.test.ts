/** Guarantee: on a full disk of the database a request with an idempotency key is told the reason, and so is who asks for readiness; with room again all is well. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openDatabase } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openGatewayWithin } from "../support/gateway-within.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { startScriptedUpstream } from "../support/scripted-upstream.ts";
import { startTlsCluster } from "../support/tls-cluster.ts";
import { until } from "../support/until.ts";
import { endings } from "./books.ts";
import { moneyCatalogue } from "./money-catalogue.ts";

/** A file system of its own; null, and the test is skipped, where this user may not mount one. */
function smallDisk(t: TestContext): string | null {
  const path = mkdtempSync(join(tmpdir(), "small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=200m", "tmpfs", path], { stdio: "pipe" });
  } catch {
    rmSync(path, { recursive: true });
    t.skip("a small file system can only be mounted as root");
    return null;
  }
  t.after(() => {
    execFileSync("umount", ["-l", path]);
    rmSync(path, { recursive: true });
  });
  return path;
}

test(
  "an idempotent chat on a full disk is refused with the reason and not charged, and readiness says so until there is room",
  { timeout: 90_000 },
  async (t) => {
    const disk = smallDisk(t);
    if (disk === null) return;
    const filler = join(disk, "filler");
    const cluster = await startTlsCluster({ ssl: false, access: "host all all 127.0.0.1/32 trust\n", folder: disk });
    const url = cluster.address();
    await migrate({ url, directory: join(import.meta.dirname, "../../migrations"), log: () => undefined });
    const db = openDatabase({ url, poolSize: 4, applicationName: "test", onError: () => undefined });
    // What it answers has to be kept in pages that are not there yet.
    const answer = { pieces: ["x".repeat(3_000_000)], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };
    const upstream = await startScriptedUpstream((exchange) => exchange.json(200, openAiCompletion(answer)));
    const gateway = await openGatewayWithin({
      database: { url, db, drop: async () => undefined },
      catalogue: moneyCatalogue(upstream.url),
      env: { SCRIPTED_API_KEY: "x", LOG_LEVEL: "silent" },
    });
    t.after(async () => {
      rmSync(filler, { force: true });
      await gateway.stop();
      await upstream.close();
      await db.close();
      await cluster.stop();
    });
    const accountId = await newAccount(db, "1000");
    const { secret } = await newKey(db, accountId);
    const ready = async (): Promise<readonly [number, string]> => {
      const response = await fetch(`${gateway.url}/readyz`);
      const { checks } = (await response.json()) as { checks: { database: string } };
      return [response.status, checks.database];
    };
    const body = { model: "talk", max_tokens: 10, messages: [{ role: "user", content: "hello" }] };
    const ask = (key: string): Promise<{ readonly status: number; readonly body: Buffer }> =>
      postChat(gateway.url, secret, body, undefined, { "idempotency-key": key }).answer;
    assert.equal((await ask("before")).status, 200);
    assert.deepEqual(await ready(), [200, "ok"]);

    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
    const refused = await ask("full");
    assert.equal(refused.status, 503);
    assert.match(refused.body.toString(), /"The gateway's database has no room left on its disk\. Try again later\."/);
    assert.deepEqual(await ready(), [503, "its disk is full"]);
    // The next one does not cost its upstream anything.
    const calls = upstream.requests.length;
    assert.equal((await ask("full, too")).status, 503);
    assert.equal(upstream.requests.length, calls);

    rmSync(filler);
    await until("it is ready", async () => (await ready())[0] === 200);
    for (const key of ["full", "after"]) assert.equal((await ask(key)).status, 200);
    await until("nothing is held", async () => (await db.query("SELECT 1 FROM ledger.holds")).length === 0);
    for (const { chargedNano, receiptNano, kind } of await endings(db, accountId))
      if (kind === "charge") assert.equal(chargedNano, receiptNano);
  },
);
