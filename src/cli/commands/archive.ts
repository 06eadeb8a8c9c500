/** `tollgate archive`: closes months that are over, and moves their entries into files. */
import { setTimeout as sleep } from "node:timers/promises";
import type {
  ArchiveDeps,
  ArchiveOutcome,
  MonthReport,
} from "../../business/operate/archive-months.ts";
import { commandActor } from "../../business/operate/operator.ts";
import { alignColumns } from "../align-columns.ts";
import type { CliDeps, Command, Outcome } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { countNouns } from "../count-nouns.ts";
import { withDb } from "../with-db.ts";

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
/** Not more often does it tell how far it is. */
const PROGRESS_MS = 1_000;

export const archive: Command = {
  name: "archive",
  summary:
    "Move the entries of months that are over into the archive on STORAGE_URL: sealed, written, read back, compared, and only then dropped",
  positionals: [],
  options: {
    before: {
      value: "YYYY-MM",
      help: "months before this one; without it LEDGER_MONTHS stay, and the one that runs",
    },
    keep: { value: null, help: "leave the archived months in the database, too" },
    "dry-run": { value: null, help: "only tell which months it would be" },
  },
  async run({ options, deps }): Promise<Outcome> {
    const given = options.get("before");
    if (given !== undefined && !MONTH.test(given))
      return usage(`"${given}" is no month: 2026-01 is expected`);
    const { archiveMonths } = await import("../../business/operate/archive-months.ts");
    const opened = await deps.openArchive();
    const dryRun = options.has("dry-run");
    try {
      const outcome = await withDb(deps, (db) =>
        archiveMonths(archiveDeps(deps, { db, storage: opened.storage }), {
          before: given ?? { monthsKept: opened.monthsKept },
          keep: options.has("keep"),
          dryRun,
        }),
      );
      return tell(outcome, dryRun);
    } finally {
      await opened.storage.close();
    }
  },
};

function archiveDeps(
  deps: Pick<CliDeps, "err" | "user">,
  { db, storage }: Pick<ArchiveDeps, "db" | "storage">,
): ArchiveDeps {
  return {
    db,
    storage,
    actor: commandActor(deps.user),
    onProgress: tellProgress(deps),
    sleep: (ms) => sleep(ms),
  };
}

const STEPS = {
  seal: "closing the month",
  write: "writing the file",
  check: "reading it back",
  drop: "dropping the month",
} as const;

/** For a person at a terminal; a night's log has no use for it. */
function tellProgress({ err }: Pick<CliDeps, "err">): ArchiveDeps["onProgress"] {
  let shownMs = 0;
  let last = "";
  return (month, step, rows, all) => {
    const nowMs = performance.now();
    const what = `${month}: ${STEPS[step]}`;
    if (!process.stderr.isTTY || (what === last && nowMs - shownMs < PROGRESS_MS)) return;
    [shownMs, last] = [nowMs, what];
    err(all === null ? what : `${what}, ${rows} of ${all} entries`);
  };
}

const REFUSALS = {
  running: "open: it has not been over for two days",
  awaited: "open: a hold, an unfinished request or a task still belongs to it",
  today: "open: an entry of it was booked today; tomorrow it can be closed",
} as const;

function tell(outcome: ArchiveOutcome, dryRun: boolean): Outcome {
  if (outcome.kind === "busy") return failed("another `tollgate archive` is at work");
  if (outcome.kind === "future")
    return usage(`--before may be ${outcome.running}, the month that runs, at the latest`);
  const { months } = outcome;
  const json = {
    dryRun,
    months: months.map(({ entries, ...rest }) => ({
      ...rest,
      entries: entries === null ? null : Number(entries),
    })),
  };
  if (months.length === 0) return done(json, "No month is to be archived.");
  const table = alignColumns([
    ["MONTH", "STATE", "ENTRIES", "FILE", "TOOK"],
    ...months.map(lineOf),
  ]);
  const archived = months.filter(({ state }) => state !== "open").length;
  const end = dryRun
    ? "Nothing was done: a dry run."
    : `${countNouns(BigInt(archived), "month")} of ${months.length} archived.`;
  return done(json, [...table, end].join("\n"));
}

function lineOf({ month, state, entries, bytes, refused, seconds }: MonthReport): string[] {
  return [
    month,
    refused === null ? state : REFUSALS[refused],
    entries === null ? "" : String(entries),
    bytes === null ? "" : `${(bytes / 1e6).toFixed(1)} MB`,
    seconds === 0 ? "" : `${seconds} s`,
  ];
}
