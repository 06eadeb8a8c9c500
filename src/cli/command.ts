/** What a command of the command line is, and what it may come to. */
import type { Finding } from "../business/doctor/finding.ts";
import type { Db } from "../db/database.ts";
import type { Seal } from "../kernel/seal.ts";
import type { ObjectStorage } from "../storage/object-storage.ts";

export interface CliDeps {
  /**
   * The migrated database of DATABASE_URL, or the embedded one, running already or started for this
   * command; closed after the command.
   */
  openDb(): Promise<Db>;
  /** Where closed months go, and how many stay; closed by the command. */
  openArchive(): Promise<{ readonly storage: ObjectStorage; readonly monthsKept: number }>;
  /** What the server of this configuration seals secrets with. */
  openSeal(): Seal;
  readFile(path: string): Promise<string>;
  /** Values for `${NAME}` in catalogues. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A `.env` to begin with. */
  exampleEnvironment(): string;
  /** What is in force, secrets masked; or what is wrong with it. */
  describeConfig():
    | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
    | { readonly ok: false; readonly mistakes: readonly string[] };
  /**
   * Looks at all that a gateway of this configuration needs, and changes nothing; also where the
   * configuration cannot be read. `backups`: the folder that they lie in.
   */
  examine(wish: { readonly backups: string | null }): Promise<readonly Finding[]>;
  /** Runs until it is told to stop; resolves to the exit code. */
  serve(roles: ReadonlySet<Role>): Promise<number>;
  sandbox(port: number): Promise<number>;
  /** Who asks, for the audit log and the record of catalogue versions: the system's user. */
  readonly user: string;
  readonly version: string;
  /** The folder of the numbered files of the schema. */
  readonly migrations: string;
  /** Standard output is a terminal that shows colours. */
  readonly colour: boolean;
  /** Show causes of faults. */
  readonly debug: boolean;
  /** Standard output and standard error; whole lines. */
  out(text: string): void;
  err(text: string): void;
}

export const ROLES = ["api", "worker"] as const;
export type Role = (typeof ROLES)[number];

export type Outcome =
  /** `json` for programs, `text` for people. */
  | { readonly kind: "done"; readonly json: unknown; readonly text: string }
  /** The command worked, and what it found is bad: exit code 1, said on standard output. */
  | { readonly kind: "bad"; readonly json: unknown; readonly text: string }
  /** It could not be done, and why: exit code 1. */
  | { readonly kind: "failed"; readonly message: string }
  /** The command line is wrong: exit code 2, with a hint at the command's help. */
  | { readonly kind: "usage"; readonly message: string }
  /** The command ran a program of its own and passes its exit code on. */
  | { readonly kind: "exit"; readonly code: number };

export interface Option {
  /** Its value's name in the help, `RUB`; null for a flag. */
  readonly value: string | null;
  readonly help: string;
  readonly required?: true;
}

export interface CommandCall {
  /** By the names in `positionals`; all there. */
  readonly positionals: Readonly<Record<string, string>>;
  /** Those that were given, by name without dashes. */
  readonly options: ReadonlyMap<string, string>;
  readonly deps: CliDeps;
}

export interface Command {
  /** `keys create`. */
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly { readonly name: string; readonly help: string }[];
  readonly options: Readonly<Record<string, Option>>;
  run(call: CommandCall): Promise<Outcome>;
}

export function usage(message: string): Outcome {
  return { kind: "usage", message };
}

export function failed(message: string): Outcome {
  return { kind: "failed", message };
}

export function done(json: unknown, text: string): Outcome {
  return { kind: "done", json, text };
}
