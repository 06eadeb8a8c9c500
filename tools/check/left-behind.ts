/**
 * What a test file left behind in the process that it shared with others: whatever one of these
 * could trip over, or would have kept a process of its own alive.
 */
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates } from "node:tls";

/** Sockets that were just closed take some turns to be gone. */
const PATIENCE_MS = 500;
const LOOK_EVERY_MS = 5;

/** Where a test may put something of its own in place of another. */
const MODULES = [
  "child_process",
  "crypto",
  "dns",
  "fs",
  "fs/promises",
  "http",
  "https",
  "net",
  "os",
  "timers",
  "tls",
];
const load = createRequire(import.meta.url);
const PLACES: ReadonlyMap<string, object> = new Map<string, object>([
  ...Object.entries({ globalThis, process, console, Date, Math }),
  ["process.stdout", process.stdout],
  ["process.stderr", process.stderr],
  ...MODULES.map((name) => [`node:${name}`, load(`node:${name}`) as object] as const),
]);

/** A count, a cache, or what Node loads when it is asked for: may become something else by itself. */
const NO_FUNCTION = Symbol("no function");

/** What packages set when they are loaded, and no test asks for: where sharp has its libraries. */
const SET_BY_LOADING = new Set(["VIPSHOME"]);

interface Imprint {
  readonly values: ReadonlyMap<string, unknown>;
  readonly listeners: ReadonlyMap<string | symbol, number>;
  readonly alive: ReadonlyMap<string, number>;
}

function imprint(): Imprint {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(process.env))
    if (!SET_BY_LOADING.has(name)) values.set(`process.env.${name}`, value);
  values.set("the working folder", process.cwd());
  values.set("the exit code", process.exitCode);
  values.set("the command line", process.argv.join(" "));
  values.set("the trusted authorities", getCACertificates("default"));
  for (const [place, object] of PLACES)
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(object)))
      values.set(`${place}.${name}`, typeof value === "function" ? value : NO_FUNCTION);
  return {
    values,
    listeners: new Map(process.eventNames().map((name) => [name, process.listenerCount(name)])),
    alive: countEach(process.getActiveResourcesInfo()),
  };
}

function countEach(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Takes note of how the process is now; the function that is returned says what is other. */
export function noteProcess(): () => Promise<readonly string[]> {
  const before = imprint();
  return async () => {
    let now = imprint();
    for (let waitedMs = 0; more(before.alive, now.alive).length > 0; waitedMs += LOOK_EVERY_MS) {
      if (waitedMs >= PATIENCE_MS) break;
      await sleep(LOOK_EVERY_MS);
      now = imprint();
    }
    const changed = [...new Set([...before.values.keys(), ...now.values.keys()])].filter(
      (name) =>
        before.values.get(name) !== now.values.get(name) && before.values.get(name) !== NO_FUNCTION,
    );
    return [
      ...more(before.alive, now.alive).map((name) => `something open (${name})`),
      ...more(before.listeners, now.listeners).map((name) => `a listener for "${name}"`),
      ...changed.map((name) => `${name} changed`),
    ];
  };
}

function more(
  before: ReadonlyMap<string | symbol, number>,
  now: ReadonlyMap<string | symbol, number>,
): string[] {
  return [...now]
    .filter(([name, count]) => count > (before.get(name) ?? 0))
    .map(([name]) => String(name));
}
