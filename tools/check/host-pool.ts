/**
 * Runs test files in processes that are shared by many, one file at a time in each. What is not in
 * order there is run again in a process of its own, whose word counts: a report is always as exact
 * as if each file had one.
 */
import { fork } from "node:child_process";
import { join, relative } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { withOutput } from "./gather-outcome.ts";
import type { Outcome } from "./outcome.ts";
import { runTestFile, SILENCE_MS, TEST_TIMEOUT_MS } from "./run-test-file.ts";
import type { Answer, FileToRun } from "./test-host.ts";

const PROGRAM = join(import.meta.dirname, "test-host.ts");
/** Then it has loaded so much that a new one is cheaper than what this one carries along. */
const FILES_OF_ONE = 60;
const ENDS_WITHIN_MS = 2_000;

interface Settings {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly silenceMs?: number;
  /** Is told why a file was run in a process of its own. */
  ranAlone(name: string, why: string): void;
}

export interface HostPool {
  run(file: string): Promise<Outcome>;
  close(): void;
}

export function openHostPool(settings: Settings): HostPool {
  const { root, signal, ranAlone } = settings;
  const idle: Host[] = [];
  return {
    async run(file) {
      const name = relative(root, file);
      const host = idle.pop() ?? startHost(settings);
      const { outcome, unclear } = await host.run({ file, name });
      if (unclear.length > 0 || host.files >= FILES_OF_ONE) host.end();
      else idle.push(host);
      if (unclear.length === 0 || signal.aborted) return outcome;
      ranAlone(name, unclear.join(", "));
      const alone = await runTestFile(file, settings);
      // What failed beside others and passes now is unsteady, or disturbed by them: not forgotten.
      if (alone.failures.length === 0 && outcome.failures.length > 0) return outcome;
      return { ...alone, durationMs: outcome.durationMs + alone.durationMs };
    },
    close() {
      for (const host of idle) host.end();
    },
  };
}

type Ran = Omit<Extract<Answer, { kind: "ran" }>, "kind">;

interface Host {
  /** So many ran in it. */
  readonly files: number;
  run(file: FileToRun): Promise<Ran>;
  end(): void;
}

function startHost({ root, env, signal, silenceMs = SILENCE_MS }: Settings): Host {
  const child = fork(PROGRAM, {
    cwd: root,
    env,
    execArgv: [`--test-timeout=${TEST_TIMEOUT_MS}`],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    signal,
    killSignal: "SIGKILL",
  });
  // An end that was not asked for is seen by the file that runs.
  child.on("error", () => undefined);
  let written = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (written += text));
  let files = 0;
  return {
    get files() {
      return files;
    },
    end() {
      if (child.connected) child.disconnect();
      setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN_MS).unref();
    },
    async run({ file, name }) {
      files += 1;
      written = "";
      const startedMs = performance.now();
      const { promise, resolve } = Promise.withResolvers<Ran>();
      const giveUp = (why: string): void => {
        const durationMs = performance.now() - startedMs;
        resolve({ outcome: { passed: 0, skipped: 0, failures: [], durationMs }, unclear: [why] });
      };
      const fallSilent = (): NodeJS.Timeout =>
        setTimeout(() => giveUp(`nothing was heard for ${silenceMs / 1000} s`), silenceMs);
      let timer = fallSilent();
      const hear = (message: unknown): void => {
        const answer = message as Answer;
        clearTimeout(timer);
        timer = fallSilent();
        if (answer.kind === "ran") resolve(answer);
      };
      const end = (): void => giveUp("it ended the process");
      child.on("message", hear).once("exit", end);
      child.send({ file, name });
      const { outcome, unclear } = await promise;
      clearTimeout(timer);
      child.off("message", hear).off("exit", end);
      // What it wrote was in the pipe before its answer, and may be read after it.
      if (outcome.failures.length > 0) await nextTurn();
      return { outcome: withOutput(outcome, name, written), unclear };
    },
  };
}
