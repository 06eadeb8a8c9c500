/**
 * Runs the commands of docs/production.md that archive a PostgreSQL's log and take it back to a
 * moment, as they are written: files are moved and copied by a real shell, and what would reach
 * systemd, the database and the installed command line asks the test instead.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";

const PAGE = join(import.meta.dirname, "../../docs/production.md");
const PART = /\*\*Back to any moment\*\*[^]*?After every restore/;

/** A server that never comes back is waited for, as the page has it. */
const DEADLINE_MS = 60_000;

/** What stands where the page names Debian's folders. */
export interface Places {
  readonly main: string;
  readonly backups: string;
  /** The user id that the server runs as. */
  readonly owner: number;
}

/** What the commands ask for; what is returned they print. Throwing ends them with an error. */
export type Answer = (
  program: "systemctl" | "psql" | "pg_basebackup" | "tollgate",
  args: readonly string[],
) => Promise<string>;

/** The page's blocks in their order: archive once, a base backup every night, back to a moment. */
export function documentedBlocks(): readonly [archive: string, base: string, back: string] {
  const [part = ""] = PART.exec(readFileSync(PAGE, "utf8")) ?? [];
  const [archive, base, back, ...others] = [...part.matchAll(/```sh\n([^]*?)```/g)].map(
    ([, block]) => block,
  );
  if (archive === undefined || base === undefined || back === undefined || others.length > 0)
    throw new Error("the page has other blocks than it had");
  return [archive, base, back];
}

/** Asks on one line, of fields that a unit separator keeps apart, and hears on another. */
const PRELUDE = `
ask() {
  local IFS=$'\\x1f' outcome text
  printf '%s\\n' "$*" >&3
  IFS=' ' read -r outcome text <&4
  [ -z "$text" ] || printf '%s\\n' "$text"
  [ "$outcome" = ok ]
}
runuser() { shift 3; "$@"; }
install() { mkdir -p "\${@: -2}" && chown "$OWNER" "\${@: -2}"; }
systemctl() { ask systemctl "$@"; }
pg_basebackup() { ask pg_basebackup "$@"; }
tollgate() { ask tollgate "$@"; }
psql() {
  local statement="\${@: -1}"
  [ $# -gt 0 ] || statement=$(cat)
  ask psql "\${statement//$'\\n'/ }"
}
`;

/** Insists that they end well. */
export async function runDocumented(
  block: string,
  { main, backups, owner }: Places,
  answer: Answer,
): Promise<void> {
  const script = block
    .replaceAll("/var/lib/postgresql/15/main", main)
    .replaceAll("/var/backups/postgresql", backups)
    .replaceAll("cd /opt/tollgate", "cd /");
  const child = spawn("bash", ["-e", "-c", PRELUDE + script], {
    timeout: DEADLINE_MS,
    env: { ...process.env, OWNER: String(owner) },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [asked, answered] = [child.stdio[3] as Duplex, child.stdio[4] as Duplex];
  const answering = (async () => {
    for await (const line of createInterface({ input: asked })) {
      const [program = "", ...args] = line.split("\x1f");
      const reply = await answer(program as Parameters<Answer>[0], args).then(
        (text) => `ok ${text}`,
        (error: unknown) => {
          errors += `${program}: ${String(error)}\n`;
          return "failed";
        },
      );
      answered.write(`${reply.replaceAll("\n", " ")}\n`);
    }
  })();
  const [code] = (await once(child, "close")) as [number | null];
  await answering;
  if (code !== 0) throw new Error(`the commands ended with ${code}:\n${errors}`);
}
