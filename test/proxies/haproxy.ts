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
  const folder = mkdtempSync(join(tmpdir(), "haproxy-"));
  const [port, statsPort] = [await freePort(), await freePort()];
  const config = join(folder, "haproxy.cfg");
  const servers = Object.entries(ports).map(
    ([name, at]) => `    server ${name} 127.0.0.1:${at} check`,
  );
  writeFileSync(
    config,
    `
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
frontend stats
    bind 127.0.0.1:${statsPort}
    stats enable
    stats uri /
`,
  );
  const child = spawn(binary, ["-f", config, "-db"], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  let reported = "";
  child.stderr.on("data", (part) => (reported += String(part)));
  const proxy: HaProxy = {
    url: `http://127.0.0.1:${port}`,
    async isUp(server) {
      const text = await (await fetch(`http://127.0.0.1:${statsPort}/;csv`)).text();
      const [head = "", ...lines] = text.split("\n");
      const statusAt = head.split(",").indexOf("status");
      const line = lines.find((each) => each.startsWith(`tollgate,${server},`));
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
