/**
 * A real HAProxy before some servers, configured as `docs/behind-a-proxy.md` says, with checks as
 * often as a test needs.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";

export interface HaProxy extends AsyncDisposable {
  readonly url: string;
  /** Whether it sends requests to this server. */
  isUp(server: string): Promise<boolean>;
}

/** Null where it is not installed. */
export function haproxyBinary(): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, "haproxy")).find((path) => existsSync(path)) ?? null;
}

/** @param checks as in the line of a server, `inter 2s fall 3` */
export async function startHaProxy(
  binary: string,
  ports: Readonly<Record<string, number>>,
  checks: string,
): Promise<HaProxy> {
  const port = await freePort();
  const servers = Object.entries(ports).map(
    ([name, at]) => `    server ${name} 127.0.0.1:${at} check`,
  );
  const config = `
defaults
    mode http
    timeout connect 5s
    timeout client 15m
    timeout server 15m
frontend api
    bind 127.0.0.1:${port}
    default_backend tollgate
backend tollgate
    option httpchk GET /readyz
    default-server ${checks}
${servers.join("\n")}
`;
  return runHaProxy(binary, { config, url: `http://127.0.0.1:${port}`, backend: "tollgate" });
}

export interface HaProxyOptions {
  readonly config: string;
  /** Where it takes requests, or connections. */
  readonly url: string;
  /** Whose servers `isUp` is about. */
  readonly backend: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a configuration, which gets a page of its servers' states besides. */
export async function runHaProxy(
  binary: string,
  { config: text, url, backend, env = process.env }: HaProxyOptions,
): Promise<HaProxy> {
  const folder = mkdtempSync(join(tmpdir(), "haproxy-"));
  const statsPort = await freePort();
  const config = join(folder, "haproxy.cfg");
  writeFileSync(
    config,
    `${text}
frontend stats
    mode http
    bind 127.0.0.1:${statsPort}
    stats enable
    stats uri /
`,
  );
  const child = spawn(binary, ["-f", config, "-db"], { stdio: ["ignore", "ignore", "pipe"], env });
  const ended = once(child, "exit");
  let reported = "";
  child.stderr.on("data", (part) => (reported += String(part)));
  const proxy: HaProxy = {
    url,
    async isUp(server) {
      const states = await (await fetch(`http://127.0.0.1:${statsPort}/;csv`)).text();
      const [head = "", ...lines] = states.split("\n");
      const statusAt = head.split(",").indexOf("status");
      const line = lines.find((each) => each.startsWith(`${backend},${server},`));
      return line?.split(",")[statusAt]?.startsWith("UP") === true;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await until("HAProxy listens", async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${reported}`);
    return fetch(`http://127.0.0.1:${statsPort}/;csv`).then(
      () => true,
      () => false,
    );
  });
  return proxy;
}
