/** Finds the running server of a data directory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { embeddedFolder, type EmbeddedFolder } from "./embedded-folder.ts";
import { readState } from "./server-state.ts";

export interface Attachment {
  readonly url: string;
  readonly pid: number;
  /** Lets the process that runs the server end it. */
  detach(): Promise<void>;
}

/**
 * The address of the server that another process runs on this data directory, or null when there is
 * none that answers.
 */
export async function attachEmbedded(options: {
  readonly dataDir: string;
}): Promise<string | null> {
  const attachment = await attach(embeddedFolder(options.dataDir));
  await attachment?.detach();
  return attachment?.url ?? null;
}

/**
 * Like attachEmbedded, and stays connected, so that a command that runs the server sees that it is
 * still in use.
 */
export async function attach(folder: EmbeddedFolder): Promise<Attachment | null> {
  const url = readState(folder.state)?.url ?? null;
  if (url === null) return null;
  const client = new Client({
    connectionString: url,
    application_name: "tollgate attached",
    connectionTimeoutMillis: 2_000,
  });
  client.on("error", () => {}); // the caller, who uses the url, meets the same error
  try {
    await client.connect();
    const pid = Number(readFileSync(join(folder.cluster, "postmaster.pid"), "utf8").split("\n")[0]);
    return { url, pid, detach: () => client.end() };
  } catch {
    await client.end().catch(() => {});
    return null;
  }
}
