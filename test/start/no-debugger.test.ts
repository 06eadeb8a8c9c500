/** Protects: no signal opens the runtime's debugger, in none of the serving processes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { moneyCatalogue } from "../money/money-catalogue.ts";
import { testDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway-process.ts";
import { until } from "../support/until.ts";

const HEARD_MS = 500;

test("SIGUSR1 changes nothing: no debugger listens, and the gateway serves on", async (t) => {
  const database = await testDatabase();
  t.after(() => database.drop());
  await using gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: moneyCatalogue("http://127.0.0.1:9"),
    env: { WORKERS: "2", SCRIPTED_API_KEY: "unused" },
  });
  // The primary, and two that serve: each writes its log by itself, in its own time.
  const pids = await until("all have said who they are", async () => {
    const reported = new Set(
      gateway.log().flatMap(({ pid }) => (typeof pid === "number" ? [pid] : [])),
    );
    return reported.size === 3 && reported;
  });
  for (const pid of pids) process.kill(pid, "SIGUSR1");
  await sleep(HEARD_MS);
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
  assert.doesNotMatch(gateway.output(), /debugger|inspector/i);
});
