/** What the parts of one serving process are made of: opened once, handed to each of them. */
import type { LiveCatalogue } from "../catalogue/live-catalogue.ts";
import type { Config, Environment } from "../config/config.ts";
import type { Db } from "../db/database.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Log } from "../log/log.ts";
import type { Outgoing } from "../net/outgoing.ts";
import type { SafeFetch } from "../net/safe-fetch.ts";
import type { Idempotency } from "../serving/admission/idempotency.ts";
import type { SigningDeps } from "../serving/webhooks/signing-secrets.ts";

export interface Parts {
  readonly config: Config;
  readonly databaseUrl: string;
  /** Holds the values that the catalogue interpolates and names as credentials. */
  readonly env: Environment;
  /** What this process does: the api takes requests, the worker does what no request waits for. */
  readonly roles: ReadonlySet<"api" | "worker">;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** This process. */
  readonly ownerId: Uuid;
  readonly catalogue: LiveCatalogue;
  readonly idempotency: Idempotency;
  readonly safeFetch: SafeFetch;
  readonly outgoing: Outgoing;
  /** Signs and seals what the panel keeps: at least 32 characters. */
  readonly sessionSecret: string;
  /** What webhooks are signed with. */
  readonly signing: SigningDeps;
  /** Where the outside reaches us, without a slash at its end; known when the port is. */
  readonly baseUrl: () => string;
  /** Where stored files are read, without a slash at its end; known when the port is. */
  readonly staticUrl: () => string;
  /** What went wrong and concerns no caller: told in the log, not too often. */
  onError(what: string, error: unknown): void;
}
