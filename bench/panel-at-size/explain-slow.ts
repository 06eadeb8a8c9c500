/**
 * How the database went about what was slow: by auto_explain, which comes with the embedded server,
 * in connections that begin from now on.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { attachEmbedded } from "#embedded-postgres/attach-embedded.ts";
import { embeddedFolder } from "#embedded-postgres/embedded-folder.ts";
import { ROLE } from "#embedded-postgres/init-cluster.ts";

const EXPLAINED_FROM_MS = 150;
/** The log is written by each server process as it comes to it. */
const WRITTEN_AFTER_MS = 300;
const LINES_SHOWN = 250;

const SETTINGS = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": `${EXPLAINED_FROM_MS}ms`,
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_nested_statements": "on",
};

/** While a gateway runs; it holds for the next one that begins. */
export async function explainFromNowOn(folder: string): Promise<void> {
  const url = await attachEmbedded({ dataDir: join(folder, "data") });
  if (url === null) throw new Error("the embedded PostgreSQL does not answer");
  // A user who may act for the server may be its superuser, too.
  const client = new Client({ connectionString: url.replace(`user=${ROLE}`, "user=postgres") });
  await client.connect();
  try {
    for (const [name, value] of Object.entries(SETTINGS))
      await client.query(`ALTER ROLE ${ROLE} SET ${name} = '${value}'`);
  } finally {
    await client.end();
  }
}

/** What the server wrote of its plans while `work` ran. */
export async function plansOf(folder: string, work: () => Promise<unknown>): Promise<string> {
  const { log } = embeddedFolder(join(folder, "data"));
  const before = statSync(log).size;
  await work();
  await sleep(WRITTEN_AFTER_MS);
  const written = readFileSync(log).subarray(before).toString("utf8").trim().split("\n");
  return written.length > LINES_SHOWN
    ? [...written.slice(0, LINES_SHOWN), `… and ${written.length - LINES_SHOWN} lines more`].join(
        "\n",
      )
    : written.join("\n");
}
