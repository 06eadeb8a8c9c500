/**
 * `npm start` as a user runs it, in a folder of the test's own, up to the end of what it prints
 * first.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { tollgateEnvironment, type Settings } from "./tollgate-environment.ts";

const START = join(import.meta.dirname, "../../src/main/start.ts");
const BANNER_END = "Stop with Ctrl-C";

export interface Started {
  /** Everything printed up to the end of the introduction. */
  readonly text: string;
  readonly url: string;
  /** The line to try, as printed. */
  readonly curl: string;
  /** Ctrl-C; resolves to the exit code. */
  stop(): Promise<number | null>;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
}

/**
 * On free ports, with the embedded database in `folder`/data. Rejects with what it printed when it
 * ends early. `program`: another than `npm start` of this project.
 */
export async function startTollgate(
  folder: string,
  settings: Settings,
  program: string = START,
): Promise<Started> {
  const env = tollgateEnvironment({
    PORT: "0",
    SANDBOX_PORT: "0",
    DATA_DIR: join(folder, "data"),
    ...settings,
  });
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const lines: string[] = [];
  const ended = once(child, "close") as Promise<[number | null]>;
  const introduced = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (line.includes(BANNER_END)) introduced.resolve();
    });
  }
  void ended.then(() =>
    introduced.reject(new Error(`the start ended early:\n${lines.join("\n")}`)),
  );
  await introduced.promise;
  const text = lines.join("\n");
  return {
    text,
    url: /API +(http:\/\/127\.0\.0\.1:\d+)\/v1/.exec(text)?.[1] ?? "",
    curl: lines.find((line) => line.startsWith("curl ")) ?? "",
    async stop() {
      child.kill("SIGINT");
      return (await ended)[0];
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The API key in a text; null where there is none. */
export function secretIn(text: string): string | null {
  return /tg_live_[0-9A-Za-z]{38}/.exec(text)?.[0] ?? null;
}

/** What the line prints; rejects when it fails. Its environment is the test's own and `env`. */
export function runInShell(line: string, env: Settings = {}, cwd?: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile("sh", ["-c", line], { env: { ...process.env, ...env }, cwd }, (error, stdout) =>
    error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}`)),
  );
  return promise;
}
