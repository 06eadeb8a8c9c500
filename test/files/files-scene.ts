/**
 * The scene of the file tests: one database, one place for files, any number of gateway processes,
 * a customer, and what is left of everything.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readdir, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Db } from "../../src/db/database.ts";
import type { UploadedFile } from "../../src/serving/files/uploaded-file.ts";
import { startS3Server, type S3Server } from "../storage/s3-server.ts";
import { testDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import type { Settings } from "../support/tollgate-environment.ts";

export interface UploadAnswer {
  /** The header `idempotent-replayed`; empty where there is none. */
  readonly replayed: string;
  readonly status: number;
  readonly code: number;
  readonly msg: string;
  readonly data: UploadedFile | null;
}

export interface FilesScene extends AsyncDisposable {
  readonly db: Db;
  readonly s3: S3Server | null;
  /** For what the test sends; goes with it. */
  readonly folder: string;
  gateway(env?: Settings): Promise<Gateway>;
  /** An API key of a new account. */
  customer(): Promise<string>;
  /** As a user does it: `curl -F file=@NAME`, in the scene's folder. */
  curl(gateway: Gateway, secret: string, ...args: string[]): Promise<UploadAnswer>;
  /** Everything in the place for files, finished or not. */
  stored(): Promise<string[]>;
  /** Rows of files by their state. */
  rows(): Promise<Record<string, number>>;
  /**
   * What dead processes and unfinished writes left looks so old now that no process can be at work
   * on it any more.
   */
  letHoursPass(): Promise<void>;
}

export type StorageKind = "local" | "s3";

const CATALOGUE = `
upstreams: { up: { protocol: openai, baseUrl: "http://127.0.0.1:9", apiKeyEnv: KEY } }
models: { m: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "2" }, routes: [ { upstream: up, model: m } ] } }
`;
const HOURS = 3;

export async function openFilesScene(kind: StorageKind): Promise<FilesScene> {
  const database = await testDatabase();
  const { db } = database;
  const folder = mkdtempSync(join(tmpdir(), "files-scene-"));
  const place = join(folder, "place");
  const s3 = kind === "s3" ? await startS3Server() : null;
  const gateways: Gateway[] = [];
  const unfinished = join(place, ".tmp");

  return {
    db,
    s3,
    folder,
    async gateway(env = {}) {
      const storage = s3?.url() ?? `file:${place}`;
      const started = await startGateway({
        databaseUrl: database.url,
        catalogue: CATALOGUE,
        env: { KEY: "x", STORAGE_URL: storage, ...env },
      });
      gateways.push(started);
      return started;
    },
    customer: async () => (await newKey(db, await newAccount(db))).secret,
    async curl(gateway, secret, ...args) {
      const all = [
        "-sS",
        "-w",
        "\n%{http_code}\n%header{idempotent-replayed}",
        "-H",
        `x-api-key: ${secret}`,
        ...args,
        `${gateway.url}/v1/storage/upload`,
      ];
      const { stdout } = await promisify(execFile)("curl", all, {
        cwd: folder,
        maxBuffer: 1 << 24,
      });
      const [body = "", status = "", replayed = ""] = stdout.split("\n");
      return {
        ...(JSON.parse(body) as Omit<UploadAnswer, "status" | "replayed">),
        status: Number(status),
        replayed,
      };
    },
    async stored() {
      if (s3 !== null)
        return [...(await s3.objects()), ...(await s3.uploads()).map((key) => `unfinished ${key}`)];
      const entries = await readdir(place, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    async rows() {
      const counts = await db.query<{ state: string; count: bigint }>(
        "SELECT state::text, count(*) AS count FROM files.files GROUP BY 1",
      );
      return Object.fromEntries(counts.map(({ state, count }) => [state, Number(count)]));
    },
    async letHoursPass() {
      await db.query("UPDATE files.files SET created_at = created_at - $1 * interval '1 hour'", [
        HOURS,
      ]);
      await s3?.ageUploads(HOURS * 3_600_000);
      const names = s3 === null ? await readdir(unfinished) : [];
      const past = Date.now() / 1000 - HOURS * 3_600;
      for (const name of names) await utimes(join(unfinished, name), past, past);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await s3?.[Symbol.asyncDispose]();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resident memory of a process now, bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}
