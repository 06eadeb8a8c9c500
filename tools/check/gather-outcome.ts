/** Makes an outcome of what Node's runner reports of one test file. */
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import type { Failure, Outcome } from "./outcome.ts";

/**
 * A suite, or a test around others, fails with what is counted below it; an abort is told in our
 * own words.
 */
const IMPLIED_FAILURES = new Set<unknown>(["subtestsFailed", "testAborted"]);
/** Frames inside Node tell nothing about the test. */
const INTERNAL_FRAME = /^ +at .*\bnode:internal\/.*\n?/gm;

export interface OutcomeGatherer {
  take(event: TestEvent): void;
  /** Something that failed besides the tests. */
  fail(text: string): void;
  readonly failed: boolean;
  outcome(): Outcome;
}

/**
 * @param name how people know the file
 * @param file its path
 */
export function gatherOutcome(name: string, file: string): OutcomeGatherer {
  const startedMs = performance.now();
  const failures: Failure[] = [];
  const output: string[] = [];
  /** The names of the suites and tests around the one that is reported, by depth. */
  const around: string[] = [];
  let passed = 0;
  let skipped = 0;

  return {
    take({ type, data }) {
      if (type === "test:stdout" || type === "test:stderr") output.push(data.message);
      else if (type === "test:diagnostic" && data.file !== undefined)
        output.push(`${data.message}\n`);
      else if (type === "test:start") around[data.nesting] = data.name;
      else if (type === "test:pass" || type === "test:fail") {
        const titles = [name, ...around.slice(0, data.nesting), data.name].filter(
          (title) => title !== file,
        );
        const wholeFile = data.name === file && data.nesting === 0;
        const error = type === "test:fail" ? data.details.error : undefined;
        if (data.skip !== undefined || data.todo !== undefined) skipped += 1;
        else if (error !== undefined) {
          if (!IMPLIED_FAILURES.has(failureType(error)))
            failures.push({ title: titles.join(" › "), text: describeError(error) });
        } else if (!wholeFile && data.details.type !== "suite") passed += 1;
      }
    },
    fail: (text) => void failures.push({ title: name, text }),
    get failed() {
      return failures.length > 0;
    },
    outcome: () =>
      withOutput(
        { passed, skipped, failures, durationMs: performance.now() - startedMs },
        name,
        output.join(""),
      ),
  };
}

/** Shows what a file wrote below its first failure. */
export function withOutput(outcome: Outcome, name: string, written: string): Outcome {
  const [first, ...others] = outcome.failures;
  if (first === undefined || written === "") return outcome;
  const text = `${first.text}\n\noutput of ${name}:\n${written.trimEnd()}`;
  return { ...outcome, failures: [{ ...first, text }, ...others] };
}

function failureType(error: Error): unknown {
  return "failureType" in error ? error.failureType : undefined;
}

/** The error that the test threw, not the wrapper that the runner puts around it. */
function describeError(error: Error): string {
  const thrown = error.cause ?? error;
  const assertion = thrown instanceof Error && thrown.name === "AssertionError";
  const text = assertion
    ? (thrown.stack ?? thrown.message)
    : typeof thrown === "string"
      ? thrown
      : inspect(thrown, { depth: 5 });
  return text.replaceAll(INTERNAL_FRAME, "");
}
