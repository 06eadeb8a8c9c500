/**
 * Runs one test file in a process of its own and gathers what came of it, with a limit for each
 * test and for silence.
 */
import { relative } from "node:path";
import { run } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import type { Failure, Outcome } from "./outcome.ts";

/** For a test, or a suite with all in it, that sets no `timeout` of its own. */
const TEST_TIMEOUT_MS = 120_000;
/**
 * A file that reports nothing for this long hangs: mostly something that it left open keeps its
 * process alive.
 */
const SILENCE_MS = 180_000;

/**
 * A suite, or a test around others, fails with what is counted below it; an abort is told in our
 * own words.
 */
const IMPLIED_FAILURES = new Set<unknown>(["subtestsFailed", "testAborted"]);
/** Frames inside Node tell nothing about the test. */
const INTERNAL_FRAME = /^ +at .*\bnode:internal\/.*\n?/gm;

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
  const startedMs = performance.now();
  const name = relative(root, file);
  const failures: Failure[] = [];
  const output: string[] = [];
  /** The names of the suites and tests around the one that is reported, by depth. */
  const around: string[] = [];
  let passed = 0;
  let skipped = 0;
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
  for await (const { type, data } of events as AsyncIterable<TestEvent>) {
    clearTimeout(timer);
    timer = fallSilent();
    if (type === "test:stdout" || type === "test:stderr") output.push(data.message);
    else if (type === "test:diagnostic" && data.file !== undefined)
      output.push(`${data.message}\n`);
    else if (type === "test:start") around[data.nesting] = data.name;
    else if (type === "test:summary" && data.file !== undefined) finished = true;
    else if (type === "test:pass" || type === "test:fail") {
      const titles = [name, ...around.slice(0, data.nesting), data.name].filter(
        (title) => title !== file,
      );
      const wholeFile = data.name === file && data.nesting === 0;
      const error = type === "test:fail" ? data.details.error : undefined;
      if (data.skip !== undefined || data.todo !== undefined) skipped += 1;
      else if (error !== undefined && IMPLIED_FAILURES.has(failureType(error))) continue;
      else if (error !== undefined)
        failures.push({ title: titles.join(" › "), text: describe(error) });
      else if (!wholeFile && data.details.type !== "suite") passed += 1;
    }
  }
  clearTimeout(timer);
  if (silence.signal.aborted)
    failures.push({
      title: name,
      text: `Nothing was heard for ${silenceMs / 1000} s: close what the tests open (servers, pools, timers).`,
    });
  else if (!finished && failures.length === 0 && !signal.aborted) {
    failures.push({
      title: name,
      text: "The process ended before its tests reported: there is no test in the file, or something called process.exit().",
    });
  }
  const first = failures[0];
  if (first !== undefined && output.length > 0)
    failures[0] = {
      ...first,
      text: `${first.text}\n\noutput of ${name}:\n${output.join("").trimEnd()}`,
    };
  return { passed, skipped, failures, durationMs: performance.now() - startedMs };
}

function failureType(error: Error): unknown {
  return "failureType" in error ? error.failureType : undefined;
}

/** The error that the test threw, not the wrapper that the runner puts around it. */
function describe(error: Error): string {
  const thrown = error.cause ?? error;
  const assertion = thrown instanceof Error && thrown.name === "AssertionError";
  const text = assertion
    ? (thrown.stack ?? thrown.message)
    : typeof thrown === "string"
      ? thrown
      : inspect(thrown, { depth: 5 });
  return text.replaceAll(INTERNAL_FRAME, "");
}
