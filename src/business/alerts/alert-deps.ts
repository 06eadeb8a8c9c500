/** What the use cases of alerts are made of. */
import type { AlertKind } from "../../contract/enums/alert-terms.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Seal } from "../../kernel/seal.ts";

export interface AlertDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Of the outbox of mail, and of what signs webhooks. */
  readonly seal: Seal;
  /** Where people reach the panel, without a slash at its end. */
  baseUrl(): string;
  onFired(kind: AlertKind): void;
}
