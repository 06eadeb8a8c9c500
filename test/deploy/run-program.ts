/** A program of this machine that looks at what ops/ has, with all that it says when it is not content. */
import { execFileSync } from "node:child_process";

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
}

const DEADLINE_MS = 60_000;

/** What it printed; throws with both of its streams where it does not end well. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, timeoutMs = DEADLINE_MS }: ProgramOptions = {},
): string {
  try {
    return execFileSync(program, args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      maxBuffer: 64 << 20,
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")}:\n${stdout}${stderr}`, { cause: error });
  }
}
