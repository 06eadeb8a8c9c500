/** What batches are made of. */
import type { BatchPace } from "../serving/batches/batch-limits.ts";
import type { Conversations } from "../serving/responses/conversation.ts";
import type { Files } from "./open-files.ts";
import type { Routing } from "./open-routing.ts";
import type { Parts } from "./parts.ts";

export interface BatchesParts extends Pick<
  Parts,
  | "env"
  | "roles"
  | "db"
  | "clock"
  | "log"
  | "metrics"
  | "ownerId"
  | "idempotency"
  | "outgoing"
  | "baseUrl"
  | "sessionSecret"
  | "onError"
> {
  readonly config: Pick<Parts["config"], "uploadLimitBytes">;
  readonly catalogue: Pick<Parts["catalogue"], "current">;
  readonly files: Pick<Files, "storage" | "intake" | "resultIntake">;
  readonly routing: Pick<Routing, "health" | "places">;
  readonly conversations: Conversations;
  /** For tests that cannot wait a minute for a lease. */
  readonly pace?: BatchPace;
}
