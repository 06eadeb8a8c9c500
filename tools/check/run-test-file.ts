/**
 * Runs one test file in a process of its own and gathers what came of it, with a limit for each
 * test and for silence.
 */
import { relative } from "node:path";
import { run } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { gatherOutcome } from "./gather-outcome.ts";
import type { Outcome } from "./outcome.ts";

/** For a test, or a suite with all in it, that sets no `timeout` of its own. */
export const TEST_TIMEOUT_MS = 120_000;
/**
 * A file that reports nothing for this long hangs: mostly something that it left open keeps its
 * process alive.
 */
export const SILENCE_MS = 180_000;

interface Settings {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly silenceMs?: number;
}

export async function runTestFile(
  file: string,
  { root, env, signal, silenceMs = SILENCE_MS }: Settings,
): Promise<Outcome> {
  const gathered = gatherOutcome(relative(root, file), file);
  let finished = false;
  const silence = new AbortController();
  const fallSilent = (): NodeJS.Timeout => setTimeout(() => silence.abort(), silenceMs);
  let timer = fallSilent();

  const events = run({
    files: [file],
    cwd: root,
    env,
    isolation: "process",
    timeout: TEST_TIMEOUT_MS,
    signal: AbortSignal.any([signal, silence.signal]),
  });
  for await (const event of events as AsyncIterable<TestEvent>) {
    clearTimeout(timer);
    timer = fallSilent();
    gathered.take(event);
    if (event.type === "test:summary" && event.data.file !== undefined) finished = true;
  }
  clearTimeout(timer);
  if (silence.signal.aborted)
    gathered.fail(
      `Nothing was heard for ${silenceMs / 1000} s: close what the tests open (servers, pools, timers).`,
    );
  else if (!finished && !gathered.failed && !signal.aborted)
    gathered.fail(
      "The process ended before its tests reported: there is no test in the file, or something called process.exit().",
    );
  return gathered.outcome();
}
