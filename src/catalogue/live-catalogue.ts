/**
 * The catalogue in force as one process sees it: compiled once per version, never replaced by one
 * that cannot be compiled.
 */
import type { CatalogueMistake } from "../contract/catalogue/catalogue-mistake.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Environment } from "./interpolate.ts";
import { parseStoredCatalogue } from "./parse-catalogue.ts";
import type { StoredVersion } from "./store.ts";

export interface CurrentCatalogue {
  readonly version: number;
  readonly catalogue: Catalogue;
}

export interface LiveCatalogue {
  current(): CurrentCatalogue;
  /** Takes the newest version over. Call it when the database tells of one; it never throws. */
  refresh(): Promise<void>;
  /** Stops polling. */
  close(): void;
}

export interface LiveCatalogueDeps {
  /** The newest stored version above the given one, or null. */
  load(above: number): Promise<StoredVersion | null>;
  readonly env: Environment;
  /**
   * A version that was compiled a moment ago, with the same environment: where it is still the
   * newest, it is not compiled again.
   */
  readonly compiled?: CurrentCatalogue | null;
  /**
   * A stored version cannot be used by this process; the one before it stays in force. Told once
   * per version.
   */
  onRejected(version: number, mistakes: readonly CatalogueMistake[]): void;
  onChanged(version: number): void;
  /** The database could not be asked; the next poll asks again. */
  onError(error: unknown): void;
  readonly pollMs?: number;
}

/** How late a process learns of a new version when the notification was lost. */
const POLL_MS = 5_000;

/**
 * Throws when there is no version yet, or when the newest cannot be used: starting with an older
 * one would sell at prices not in force.
 */
export async function createLiveCatalogue(deps: LiveCatalogueDeps): Promise<LiveCatalogue> {
  const first = await deps.load(0);
  if (first === null)
    throw new Error("no catalogue was ever applied; apply one with: tollgate catalogue apply FILE");
  let current =
    deps.compiled?.version === first.version ? deps.compiled : compileFirst(first, deps.env);
  let seen = first.version;
  let running: Promise<void> | null = null;
  let again = false;

  async function takeNewest(): Promise<void> {
    const stored = await deps.load(seen);
    if (stored === null) return;
    seen = stored.version;
    const next = parseStoredCatalogue(stored.source, deps.env);
    if (next.ok) {
      current = { version: stored.version, catalogue: next.catalogue };
      deps.onChanged(stored.version);
    } else {
      deps.onRejected(stored.version, next.mistakes);
    }
  }

  async function run(): Promise<void> {
    do {
      again = false;
      try {
        await takeNewest();
      } catch (error) {
        deps.onError(error);
      }
    } while (again);
    running = null;
  }

  function refresh(): Promise<void> {
    // A question under way may have been answered before the version that this call is about; so
    // one more is asked.
    if (running !== null) again = true;
    running ??= run();
    return running;
  }

  const timer = setInterval(() => void refresh(), deps.pollMs ?? POLL_MS);
  timer.unref();
  return { current: () => current, refresh, close: () => clearInterval(timer) };
}

function compileFirst({ version, source }: StoredVersion, env: Environment): CurrentCatalogue {
  const reading = parseStoredCatalogue(source, env);
  if (!reading.ok)
    throw new Error(
      `the catalogue in force, version ${version}, cannot be used:\n${reading.mistakes.map(mistakeLine).join("\n")}`,
    );
  return { version, catalogue: reading.catalogue };
}

/** `line 12: models.a.price.input: required, and missing`. */
export function mistakeLine({
  path,
  line,
  message,
}: Pick<CatalogueMistake, "path" | "line" | "message">): string {
  return `${line === null ? "" : `line ${line}: `}${path === "" ? "" : `${path}: `}${message}`;
}
