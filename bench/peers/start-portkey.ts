/**
 * Starts @portkey-ai/gateway, a gateway that does not bill, from an installation of its own that is
 * made when it is first needed.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchFolder } from "../bench-folder.ts";
import { keepFolder } from "../keep-folder.ts";
import { watchHeap } from "./heap-watch.ts";
import type { Absence, Peer, PeerContext } from "./peer.ts";
import { freePort, spawnServer } from "./spawn-server.ts";

const PACKAGE = join(import.meta.dirname, "portkey");
const NPM_ARGS = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

export async function startPortkey(context: PeerContext): Promise<Peer | Absence> {
  const installed = await install(context);
  if (typeof installed !== "string") return installed;
  const port = await freePort();
  const program = join(installed, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const heap = watchHeap(context.folder, "portkey");
  const server = await spawnServer({
    leash: context.native.leash,
    command: [process.execPath, program, `--port=${port}`, "--headless"],
    folder: context.folder,
    logFile: join(context.folder, "portkey.log"),
    environment: { ...context.environment, ...heap.environment, NODE_ENV: "production" },
    port: () => port,
  });
  return {
    name: "portkey",
    title: "Portkey",
    port,
    pid: server.pid,
    ownPath: "/",
    headers: [
      "x-portkey-provider: openai",
      `x-portkey-custom-host: http://127.0.0.1:${context.upstreamPort}/v1`,
      "authorization: Bearer sk-upstream",
    ],
    keys: null,
    allocated: () => heap.allocated(),
    answered: () => undefined,
    async stop() {
      await server.stop();
      return null;
    },
  };
}

/** The folder of the installation that the lock describes; it gets its name when it is whole. */
async function install(context: PeerContext): Promise<string | Absence> {
  const lock = readFileSync(join(PACKAGE, "package-lock.json"));
  const folder = join(
    benchFolder(),
    `portkey-${createHash("sha256").update(lock).digest("hex").slice(0, 16)}`,
  );
  if (existsSync(folder)) return folder;
  const draft = `${folder}-${process.pid}`;
  context.say("installing @portkey-ai/gateway (once)…");
  mkdirSync(draft, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    cpSync(join(PACKAGE, name), join(draft, name));
  const npm = spawn("npm", NPM_ARGS, { cwd: draft, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(npm, "exit").catch(() => [null])) as [number | null];
  if (code === 0) {
    keepFolder(draft, folder);
    return folder;
  }
  rmSync(draft, { recursive: true, force: true });
  return { absent: "npm could not install @portkey-ai/gateway" };
}
