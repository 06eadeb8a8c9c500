/** What an examination is made of: the settings that it looks at, and its ways to the outside. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import type { Db, Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { MailServerCheck } from "../../net/check-mail-server.ts";
import type { OtlpSignal } from "../../net/otlp-collector.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import type { Probe } from "../../net/probe-endpoint.ts";
import type { CheckName, Remark } from "./finding.ts";

/** Of the settings in force. */
export interface Installation {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | null;
  /** Null: the embedded database in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Null: lists are read where everything is read. */
  readonly databaseReplicaUrl: string | null;
  readonly databaseReplicaLagSeconds: number;
  readonly dataDir: string;
  readonly storageUrl: string;
  readonly cataloguePath: string;
  /** Of the built-in sandbox. */
  readonly sandboxPort: number;
  readonly sessionSecret: string | null;
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  readonly payments: {
    readonly baseUrl: string;
    readonly shopId: string;
    readonly secretKey: string;
  } | null;
  readonly telegram: { readonly botToken: string; readonly apiUrl: string } | null;
  readonly trustedProxies: readonly string[];
  /** Null: no collector gets anything. */
  readonly otlpEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly otelSignals: Readonly<Record<OtlpSignal, boolean>>;
}

/** Of the file system that a folder lies on. */
export interface Room {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Files that may still be made; null where the file system counts none. */
  readonly freeFiles: number | null;
}

export interface DoctorDeps {
  readonly installation: Installation;
  /** Values that the catalogue interpolates and names as credentials. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly outgoing: Outgoing;
  /** The folder of the numbered files, and the version of the program that they are of. */
  readonly migrations: { readonly directory: string; readonly version: string };
  /** Where settings are read from, besides the environment. */
  readonly envFile: string;
  /** Of one check. */
  readonly deadlineMs: number;
  /** Where the operator keeps backups; null: not told. */
  readonly backups: string | null;
  /** As it is, not brought up to date; null: none was ever made. Closed by who hands this in. */
  openDatabase(): Promise<Db | null>;
  /** Asked for where one is set; rejects where it does not answer. Closed by who hands this in. */
  openReplica(): Promise<Queryable>;
  probe(address: string, deadlineMs: number): Promise<Probe>;
  checkMailServer(smtpUrl: string, deadlineMs: number): Promise<MailServerCheck>;
  roomOf(folder: string): Promise<Room>;
  readFile(path: string): Promise<string>;
}

/** What checks look at; made before they run. */
export interface Scene extends DoctorDeps {
  /** Null: it cannot be reached, which has a finding of its own. */
  readonly db: Db | null;
  /** The one in force, or that of the file where none is; null: neither can be used. */
  readonly catalogue: Catalogue | null;
}

export interface Check {
  readonly name: CheckName;
  /** Rejects where it cannot come to a result; `signal` tells that it is too late for one. */
  run(scene: Scene, signal: AbortSignal): Promise<readonly Remark[]>;
}
