/**
 * The embedded server is sized for a machine of many cores too: WORKERS=auto starves neither its
 * processes nor a command beside them.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { embeddedProcess } from "../test/embedded-process.ts";
import { openPool } from "../test/open-pool.ts";

const PROCESSES = 16;
/**
 * Of one serving process at most: its pool, the hot connections, those that listen, and work that
 * may take its time.
 */
const CONNECTIONS_OF_ONE = 19;

test("sixteen serving processes may hold all their connections, and a command still gets one", async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), "tollgate-embedded-")), "data");
  const server = embeddedProcess(dataDir, "serve");
  try {
    const up = await server.reported("up");
    if (up === null)
      assert.fail(
        (await server.reported("refused"))?.message ?? "the process ended without a word",
      );
    const [served, command] = [
      openPool(up.url, PROCESSES * CONNECTIONS_OF_ONE),
      openPool(up.url, 1),
    ];
    try {
      const held = Array.from({ length: PROCESSES * CONNECTIONS_OF_ONE }, () =>
        served.query<{ pid: number }>("SELECT pg_backend_pid() AS pid, pg_sleep(2)"),
      );
      const pids = (await Promise.all(held)).map(([row]) => row?.pid);
      assert.equal(new Set(pids).size, PROCESSES * CONNECTIONS_OF_ONE);
      assert.deepEqual(await command.query("SELECT 1 AS one"), [{ one: 1 }]);
    } finally {
      await Promise.all([served.close(), command.close()]);
    }
  } finally {
    await server.stop();
    rmSync(dirname(dataDir), { recursive: true, force: true });
  }
});
