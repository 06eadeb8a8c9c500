/**
 * Tells how the run goes: a line for each file, on a terminal also what runs now, and at the end
 * every failure in full.
 */
import { stripVTControlCharacters } from "node:util";
import type { Failure, Outcome } from "./outcome.ts";

interface Settings {
  write(text: string): void;
  /** A terminal where a line can be written over. */
  readonly live: boolean;
}

interface Counts {
  readonly ran: number;
  readonly failed: number;
}

export interface Report {
  begin(name: string): void;
  end(name: string, outcome: Outcome): void;
  /** A file has failed and will be run again: shows its failures at once. */
  postpone(name: string, outcome: Outcome): void;
  /**
   * A file that had failed was run once more, alone. Where it passes then, it counts as passed and
   * its first failures are shown as unsteady.
   */
  endAgain(name: string, first: Outcome, second: Outcome): void;
  /** A file that shared a process with others was run once more in one of its own, at once. */
  ranAlone(name: string, why: string): void;
  /** Writes the failures and, as the very last line, the counts. */
  close(how: { stopped: boolean; testsExpected: boolean }): Counts;
}

const CLEAR_LINE = "\r\u001B[K";
const LIVE_WIDTH = 100;

export function createReport({ write, live }: Settings): Report {
  const startedMs = performance.now();
  const running = new Set<string>();
  const failures: Failure[] = [];
  const unsteady: Failure[] = [];
  let passed = 0;
  let skipped = 0;
  let items = 0;

  function line(text: string): void {
    write(`${live ? CLEAR_LINE : ""}${text}\n`);
  }
  function showRunning(): void {
    if (!live) return;
    const text = `  ${passed} passed, ${failures.length} failed · ${[...running].join(", ")}`;
    write(CLEAR_LINE + text.slice(0, LIVE_WIDTH));
  }

  function end(name: string, outcome: Outcome, mark: string): void {
    running.delete(name);
    items += 1;
    passed += outcome.passed;
    skipped += outcome.skipped;
    failures.push(...outcome.failures);
    const parts = [`${outcome.passed} passed`];
    if (outcome.failures.length > 0) parts.push(`${outcome.failures.length} failed`);
    if (outcome.skipped > 0) parts.push(`${outcome.skipped} skipped`);
    line(`${mark} ${name}  ${parts.join(", ")}  ${(outcome.durationMs / 1000).toFixed(1)} s`);
    showRunning();
  }

  return {
    begin(name) {
      running.add(name);
      showRunning();
    },
    end(name, outcome) {
      end(name, outcome, outcome.failures.length > 0 ? "✗" : "✓");
    },
    postpone(name, { failures: found }) {
      running.delete(name);
      line(`✗ ${name}  ${found.length} failed; runs again, alone, when the others are done`);
      for (const { title, text } of found) line(`── ${title}\n${stripVTControlCharacters(text)}\n`);
    },
    endAgain(name, first, second) {
      const failsAgain = second.failures.length > 0;
      if (!failsAgain) unsteady.push(...first.failures);
      end(name, second, failsAgain ? "✗ again" : "≈ unsteady");
    },
    ranAlone(name, why) {
      line(`· ${name} runs in a process of its own, because beside others: ${why}`);
    },
    close({ stopped, testsExpected }) {
      const ran = passed + skipped + failures.length;
      if (ran === 0 && !stopped)
        failures.push({
          title: "nothing ran",
          text: testsExpected ? "No test was found." : "No check and no test file has such a name.",
        });
      line("");
      for (const [kind, found] of Object.entries({ unsteady, failure: failures })) {
        for (const [at, { title, text }] of found.entries()) {
          line(`── ${kind} ${at + 1} of ${found.length}: ${title}`);
          line(`${stripVTControlCharacters(text)}\n`);
        }
      }
      if (unsteady.length > 0)
        line(
          `${unsteady.length} failed and passed when run again alone: an unsteady test, or a fault that shows now and then. Look at it.`,
        );
      if (stopped) line("stopped before the end");
      line(
        `${ran} ran in ${items} checks and files, ${((performance.now() - startedMs) / 1000).toFixed(1)} s`,
      );
      line(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
      return { ran, failed: failures.length };
    },
  };
}
