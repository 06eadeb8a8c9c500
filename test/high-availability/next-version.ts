/**
 * The program as a version that is not out yet: a copy of the project with a number of its own, more
 * migrations, and a statement that knows of them.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readMigrations } from "../../src/db/read-migrations.ts";
import { VERSION } from "../../src/process/project-root.ts";
import { linkPackages } from "../start/link-packages.ts";
import type { Launch } from "../support/gateway-process.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What a gateway without its panel is made of. */
const KEPT = ["package.json", "packages", "src", "migrations"] as const;
/** Orders tasks. */
const CHANGED = "src/tasks/tasks.store.ts";

/** What the next versions write where the version of today leaves the column out. */
export const NEXT_ORDERER = "next";
/** What the contraction writes for those rows. */
export const FORMER_ORDERER = "former";

const [major = 0, minor = 0] = VERSION.split(".").map(Number);
export const VERSIONS = {
  /** This project. */
  today: VERSION,
  /** With a column that it writes itself, one that it does not, and an index of each. */
  expanded: `${major}.${minor + 1}.0`,
  /** Takes from the version of today what it needs: to leave the column out. */
  contracted: `${major}.${minor + 2}.0`,
} as const;

const beside = (version: string): string =>
  `-- Oldest version that may run beside it: ${version}\n`;

const EXPANSIONS = [
  [
    "who-ordered",
    `${beside(VERSIONS.today)}ALTER TABLE tasks.tasks ADD COLUMN ordered_by text;
CREATE INDEX tasks_by_orderer ON tasks.tasks (account_id, ordered_by) WHERE ordered_by IS NOT NULL;
`,
  ],
  [
    "notes-of-accounts",
    `${beside(VERSIONS.today)}ALTER TABLE ledger.accounts ADD COLUMN note text;
CREATE INDEX accounts_by_note ON ledger.accounts (note) WHERE note IS NOT NULL;
`,
  ],
] as const;
const CONTRACTIONS = [
  [
    "every-orderer",
    `${beside(VERSIONS.expanded)}LOCK TABLE tasks.tasks IN ACCESS EXCLUSIVE MODE; -- at once: not first rows, then the table
UPDATE tasks.tasks SET ordered_by = '${FORMER_ORDERER}' WHERE ordered_by IS NULL;
ALTER TABLE tasks.tasks ALTER COLUMN ordered_by SET NOT NULL;
`,
  ],
  [
    "no-notes-of-accounts",
    `${beside(VERSIONS.expanded)}ALTER TABLE ledger.accounts DROP COLUMN note;
`,
  ],
] as const;

export interface NextVersion extends Disposable {
  /** The program of the command line. */
  readonly cli: string;
  /** How its gateway is started. */
  readonly launch: Launch;
  /** Puts it in its place, as an upgrade of the folder does: processes that run have read theirs. */
  become(version: "expanded" | "contracted"): void;
}

export function openNextVersion(): NextVersion {
  const root = mkdtempSync(join(tmpdir(), "next-version-"));
  for (const name of KEPT)
    cpSync(join(ROOT, name), join(root, name), {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules",
    });
  linkPackages(root);
  const changed = join(root, CHANGED);
  const store = readFileSync(changed, "utf8");
  const withColumn = replaceOnce(
    store,
    "price_by_files, deadline_at)",
    "price_by_files, deadline_at, ordered_by)",
  );
  writeFileSync(
    changed,
    replaceOnce(
      withColumn,
      "$12 * interval '1 second')",
      `$12 * interval '1 second', '${NEXT_ORDERER}')`,
    ),
  );

  const manifest = readFileSync(join(root, "package.json"), "utf8");
  const folder = join(root, "migrations");
  const ours = new Set(readdirSync(folder));
  const newest = readMigrations(folder).at(-1)?.number ?? 0;
  const cli = join(root, "src/main/cli.ts");
  return {
    cli,
    launch: { program: process.execPath, args: [cli, "serve"], cwd: root, user: null },
    become(version) {
      writeFileSync(
        join(root, "package.json"),
        replaceOnce(manifest, `"version": "${VERSION}"`, `"version": "${VERSIONS[version]}"`),
      );
      for (const name of readdirSync(folder)) if (!ours.has(name)) rmSync(join(folder, name));
      const files = version === "expanded" ? EXPANSIONS : [...EXPANSIONS, ...CONTRACTIONS];
      for (const [index, [name, text]] of files.entries()) {
        const number = String(newest + 1 + index).padStart(4, "0");
        writeFileSync(join(folder, `${number}_${name}.sql`), text);
      }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function replaceOnce(text: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`"${from}" is there ${parts.length - 1} times, where one was to be replaced`);
  return parts.join(to);
}
