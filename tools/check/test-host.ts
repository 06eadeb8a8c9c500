/**
 * A process in which test files run one after the other, each with a runner of its own, so that the
 * modules they have in common are loaded once. A file is asked for by a message, and answered by
 * what came of it and by what it left behind.
 */
import { run } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { gatherOutcome } from "./gather-outcome.ts";
import { noteProcess } from "./left-behind.ts";
import type { Outcome } from "./outcome.ts";

export interface FileToRun {
  /** Its path, and how people know it. */
  readonly file: string;
  readonly name: string;
}

export type Answer =
  /** A test reports. */
  | { readonly kind: "heard" }
  | {
      readonly kind: "ran";
      readonly outcome: Outcome;
      /** Why its word does not count, and this process is to be left; empty: all is in order. */
      readonly unclear: readonly string[];
    };

const HEARD_AT_MOST_EVERY_MS = 1_000;

// Between two files nothing may come; in a file, its runner hears it, too, and fails a test by it
// where it knows which.
let strays = 0;
process.on("uncaughtException", () => (strays += 1));
process.on("unhandledRejection", () => (strays += 1));
process.on("message", (message) => void work(message as FileToRun));
process.on("disconnect", () => process.exit());

function answer(what: Answer): void {
  process.send?.(what);
}

async function work({ file, name }: FileToRun): Promise<void> {
  const gathered = gatherOutcome(name, file);
  const before = process.listeners("beforeExit");
  // Without files it makes nothing but the root, to which tests that are loaded now belong.
  const events = run({ files: [], isolation: "none" });
  const end = process.listeners("beforeExit").find((listener) => !before.includes(listener));
  if (end === undefined) throw new Error("Node's runner does not wait for the end of the process");
  const leftBehind = noteProcess();
  strays = 0;
  let successful = false;
  let heardMs = 0;
  const reported = (async () => {
    for await (const event of events as AsyncIterable<TestEvent>) {
      if (event.type === "test:summary") successful = event.data.success;
      else gathered.take(event);
      if (performance.now() - heardMs < HEARD_AT_MOST_EVERY_MS) continue;
      heardMs = performance.now();
      answer({ kind: "heard" });
    }
  })();
  const unclear: string[] = [];
  await import(pathToFileURL(file).href).catch((error: unknown) => {
    unclear.push(`it does not load: ${String(error)}`);
  });
  // What the end of a process of its own would be to the runner: it waits for all tests, and sums up.
  end(0);
  await reported;
  unclear.push(...(await leftBehind()));
  const outcome = gathered.outcome();
  if (strays > 0) unclear.push("an error that no test took");
  if (outcome.passed + outcome.skipped + outcome.failures.length === 0) unclear.push("no test");
  if (!successful && outcome.failures.length === 0) unclear.push("a failure of no test");
  answer({ kind: "ran", outcome, unclear });
}
