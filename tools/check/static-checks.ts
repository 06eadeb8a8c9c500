/** The checks that look at the code without running it; each counts as one test. */
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import type { Outcome } from "./outcome.ts";

export interface StaticCheck {
  readonly name: string;
  /** A command of node_modules/.bin and its arguments. */
  readonly command: readonly [string, ...string[]];
}

export const STATIC_CHECKS: readonly StaticCheck[] = [
  { name: "types", command: ["tsc", "-p", ".", "--pretty", "false"] },
  { name: "panel", command: ["tsc", "-p", "panel", "--pretty", "false"] },
  { name: "lint", command: ["oxlint"] },
  { name: "format", command: ["oxfmt", "--check", "."] },
  { name: "unused", command: ["knip", "--no-progress"] },
  { name: "tidy", command: ["node", "tools/tidy.ts", "."] },
];

const DEADLINE_MS = 180_000;
/**
 * tsc and oxlint's types are programs in Go that end when they have looked once: a fifth of what they
 * take of the processor is collecting memory that is there anyway, up to the limit.
 */
const SELDOM_COLLECTED = { GOGC: "400", GOMEMLIMIT: "2GiB" };

/** Runs one check over the project at `root`, with the tools of node_modules before any others. */
export function runStaticCheck(
  check: StaticCheck,
  root: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const bin = join(root, "node_modules", ".bin");
  const startedMs = performance.now();
  const [command, ...args] = check.command;
  // The tools are scripts for `node`: the one that runs us, before any other in PATH.
  const path = [dirname(process.execPath), bin, process.env["PATH"] ?? ""].join(delimiter);
  const env = { ...SELDOM_COLLECTED, ...process.env, PATH: path, NO_COLOR: "1" };
  const program = command === "node" ? process.execPath : join(bin, command);
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      signal,
      timeout: DEADLINE_MS,
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => output.push(text));
    let problem: string | null = null;
    child.on("error", (error) => (problem = error.message));
    child.on("close", (code, killed) => {
      const durationMs = performance.now() - startedMs;
      if (code === 0 && problem === null)
        return resolve({ passed: 1, skipped: 0, failures: [], durationMs });
      const end =
        problem ??
        (killed === null
          ? `exit code ${code}`
          : `ended by ${killed} after ${Math.round(durationMs)} ms`);
      const text = `${output.join("").trimEnd()}\n${check.command.join(" ")}: ${end}`.trimStart();
      resolve({ passed: 0, skipped: 0, failures: [{ title: check.name, text }], durationMs });
    });
  });
}
