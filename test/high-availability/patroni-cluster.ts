/**
 * Three PostgreSQL servers under Patroni with etcd on loopback, one primary and two standbys, each
 * of which can be lost at once, as a machine is, and come back.
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { spawnGuarded } from "#embedded-postgres/guarded-process.ts";
import { chooseServerUser } from "#embedded-postgres/server-user.ts";
import { findProgram } from "../support/find-program.ts";
import { freePort } from "../support/free-port.ts";
import { olderServers } from "../support/older-servers.ts";
import { until } from "../support/until.ts";
import { childrenOf } from "../torture/children-of.ts";

/**
 * How soon a primary is taken for lost. Patroni wants loop_wait + 2 × retry_timeout within ttl, and
 * a ttl of 20 at least; its defaults are 30, 10 and 10.
 */
const TIMES = { ttl: 20, loop_wait: 2, retry_timeout: 5 };
const NODES = ["one", "two", "three"] as const;
const PATIENCE_MS = 120_000;
const LAST_LINES = 20;

export interface PatroniNode {
  readonly name: string;
  readonly databasePort: number;
  /** Of Patroni's own interface, which answers GET /primary with 200 on the primary alone. */
  readonly restPort: number;
}

export interface PatroniMember {
  readonly name: string;
  /** `leader`, `sync_standby`, `replica`. */
  readonly role: string;
  readonly state: string;
}

export interface PatroniCluster extends AsyncDisposable {
  readonly nodes: readonly PatroniNode[];
  /** As the first node says that answers; empty where none does. */
  members(): Promise<readonly PatroniMember[]>;
  /** The name of the primary, once there is one with a synchronous standby. */
  primary(): Promise<string>;
  /** Makes a role and a database of its own; the password. */
  makeDatabase(name: string): Promise<string>;
  /** kill -9 of all processes of a node at once. */
  lose(name: string): Promise<void>;
  comeBack(name: string): void;
  /** Waits until a node follows the primary. */
  follows(name: string): Promise<void>;
}

/** The newest PostgreSQL of Debian's here: what comes with us has neither pg_rewind nor pg_basebackup. */
function serverPrograms(): string | null {
  return olderServers().at(-1)?.[1] ?? null;
}

/** For `skip` of a test: what is missing, by name; false where nothing is. */
export function patroniMissing(): string | false {
  const missing = ["etcd", "patroni", "haproxy"].find((name) => findProgram(name) === null);
  if (missing !== undefined) return `${missing} is not installed`;
  return serverPrograms() === null ? "PostgreSQL 15 to 17 of Debian is not installed" : false;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const base = mkdtempSync(join(tmpdir(), "patroni-"));
  const user = chooseServerUser(join(base, "none"));
  const own = (path: string): void => {
    if (user !== null) chownSync(path, user.uid, user.gid);
  };
  chmodSync(base, 0o711);
  const password = randomBytes(16).toString("hex");
  const processes = new Map<string, ChildProcess>();
  const folderOf = (name: string): string => join(base, name);

  function run(name: string, program: string, args: readonly string[]): void {
    const logFd = openSync(join(base, `${name}.log`), "a");
    const child = spawnGuarded({
      program: findProgram(program) ?? program,
      args,
      cwd: folderOf(name),
      user,
      stdio: ["ignore", logFd, logFd],
      orphaned: "interrupt",
    });
    closeSync(logFd);
    processes.set(name, child);
  }

  function makeFolder(name: string): void {
    mkdirSync(folderOf(name), { mode: 0o700 });
    own(folderOf(name));
  }

  const [etcdPort, peerPort] = [await freePort(), await freePort()];
  makeFolder("etcd");
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`];
  run("etcd", "etcd", [
    "--name=etcd",
    `--data-dir=${join(folderOf("etcd"), "data")}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=etcd=${peerUrl}`,
  ]);

  const nodes: PatroniNode[] = [];
  for (const name of NODES)
    nodes.push({ name, databasePort: await freePort(), restPort: await freePort() });

  function nodeCalled(name: string): PatroniNode {
    const found = nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`there is no node ${name}`);
    return found;
  }

  function startNode({ name }: PatroniNode): void {
    run(name, "patroni", [join(folderOf(name), "patroni.yml")]);
  }

  for (const node of nodes) {
    makeFolder(node.name);
    const settings = nodeSettings(node, folderOf(node.name), etcdPort, password);
    const path = join(folderOf(node.name), "patroni.yml");
    // What is JSON is YAML.
    writeFileSync(path, JSON.stringify(settings), { mode: 0o600 });
    own(path);
    startNode(node);
  }

  async function members(): Promise<readonly PatroniMember[]> {
    for (const { restPort } of nodes) {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null);
      if (answer?.ok !== true) continue;
      return ((await answer.json()) as { members: PatroniMember[] }).members;
    }
    return [];
  }

  function lastLines(): string {
    return ["etcd", ...NODES]
      .map((name) => {
        const lines = readFileSync(join(base, `${name}.log`), "utf8").split("\n");
        return `${name}:\n${lines.slice(-LAST_LINES).join("\n")}`;
      })
      .join("\n");
  }

  async function waitFor<T>(what: string, ask: () => Promise<T | null | false>): Promise<T> {
    try {
      return await until(what, ask, PATIENCE_MS);
    } catch (error) {
      throw new Error(`${String(error)}\n${lastLines()}`, { cause: error });
    }
  }

  async function primary(): Promise<string> {
    return waitFor("a primary with a synchronous standby", async () => {
      const found = await members();
      const leader = found.find(({ role, state }) => role === "leader" && state === "running");
      return found.some(({ role }) => role === "sync_standby") && leader !== undefined
        ? leader.name
        : null;
    });
  }

  const kill = (pid: number): void => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };

  /** Patroni first, or it would start its server again. */
  async function lose(name: string): Promise<void> {
    const patroni = processes.get(name);
    const server = postmasterOf(folderOf(name));
    const family = server === null ? [] : [server, ...childrenOf(server)];
    if (patroni !== undefined && patroni.exitCode === null && patroni.signalCode === null) {
      const ended = once(patroni, "exit");
      patroni.kill("SIGKILL");
      for (const pid of family) kill(pid);
      await ended;
    } else for (const pid of family) kill(pid);
  }

  const cluster: PatroniCluster = {
    nodes,
    members,
    primary,
    async makeDatabase(name) {
      const { databasePort } = nodeCalled(await primary());
      const ownPassword = randomBytes(16).toString("hex");
      const client = new Client({
        connectionString: `postgresql://postgres:${password}@127.0.0.1:${databasePort}/postgres`,
      });
      client.on("error", () => {});
      await client.connect();
      try {
        await client.query(`CREATE ROLE ${name} LOGIN PASSWORD '${ownPassword}'`);
        await client.query(
          `CREATE DATABASE ${name} OWNER ${name} ENCODING 'UTF8' TEMPLATE template0`,
        );
      } finally {
        await client.end();
      }
      return ownPassword;
    },
    lose,
    comeBack: (name) => startNode(nodeCalled(name)),
    async follows(name) {
      await waitFor(`${name} follows`, async () => {
        const found = (await members()).find((member) => member.name === name);
        return (
          found !== undefined && found.role !== "leader" && /running|streaming/.test(found.state)
        );
      });
    },
    async [Symbol.asyncDispose]() {
      for (const { name } of nodes) await lose(name);
      const etcd = processes.get("etcd");
      if (etcd !== undefined && etcd.exitCode === null && etcd.signalCode === null) {
        const ended = once(etcd, "exit");
        etcd.kill("SIGKILL");
        await ended;
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
  try {
    await primary();
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  return cluster;
}

/** The process that a data folder says is its server; null where there is none. */
function postmasterOf(folder: string): number | null {
  try {
    const [first = ""] = readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n");
    return Number.parseInt(first, 10) || null;
  } catch {
    return null;
  }
}

function nodeSettings(
  { name, databasePort, restPort }: PatroniNode,
  folder: string,
  etcdPort: number,
  password: string,
): object {
  const rest = `127.0.0.1:${restPort}`;
  const database = `127.0.0.1:${databasePort}`;
  return {
    scope: "tollgate",
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        maximum_lag_on_failover: 1_048_576,
        // No charge that a customer was told of is lost with the primary.
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 100,
            shared_buffers: "32MB",
            timezone: "UTC",
            jit: "off",
            wal_keep_size: "256MB",
          },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
    },
    postgresql: {
      listen: database,
      connect_address: database,
      data_dir: join(folder, "data"),
      bin_dir: serverPrograms(),
      pgpass: join(folder, "pgpass"),
      authentication: {
        superuser: { username: "postgres", password },
        replication: { username: "replicator", password },
        rewind: { username: "rewinder", password },
      },
      parameters: { unix_socket_directories: folder },
      pg_hba: [
        "host all all 127.0.0.1/32 scram-sha-256",
        "host replication replicator 127.0.0.1/32 scram-sha-256",
      ],
    },
  };
}
