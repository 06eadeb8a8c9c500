/** What the parts of the panel are made of, and what each of them is. */
import type { PriceHistory } from "../../business/requests/price-history.ts";
import type { LiveCatalogue } from "../../catalogue/live-catalogue.ts";
import type { Db } from "../../db/database.ts";
import type { Authenticator } from "../../serving/admission/authenticate.ts";
import type { Caller } from "../../serving/admission/find-caller.ts";
import type { RateGate } from "../../serving/admission/rate-gate.ts";
import type { SigningDeps } from "../../serving/webhooks/signing-secrets.ts";
import type { Metrics } from "../../http/metrics.ts";
import type { RawHandler } from "../../http/node-server.ts";
import type { QuotesRouteDeps } from "../../http/routes/quotes.ts";
import type { TaskRouteDeps } from "../../http/task-route-deps.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import type { SafeFetch } from "../../net/safe-fetch.ts";
import type { Config, Environment } from "../../config/config.ts";
import type { Log } from "../../log/log.ts";
import type { Chat } from "../open-chat.ts";
import type { Files } from "../open-files.ts";

/** What the work behind the panel needs, in a process with the worker role. */
export interface PanelWorkDeps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly env: Environment;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** This process. */
  readonly ownerId: Uuid;
  readonly catalogue: LiveCatalogue;
  readonly safeFetch: SafeFetch;
  readonly outgoing: Outgoing;
  /** Signs and seals what the panel keeps: at least 32 characters. */
  readonly sessionSecret: string;
  /** What webhooks are signed with. */
  readonly signing: SigningDeps;
  /** Where the outside reaches us, without a slash at its end; known when the port is. */
  readonly baseUrl: () => string;
  onError(what: string, error: unknown): void;
}

/** What its pages need, in a process with the api role. */
export interface PanelDeps extends PanelWorkDeps {
  readonly authenticator: Authenticator<Caller>;
  readonly chat: Chat;
  readonly files: Files;
  readonly limits: RateGate;
  readonly prices: PriceHistory;
  /** What may be asked about a chat request without making it. */
  readonly inquiries: QuotesRouteDeps;
  readonly tasks: TaskRouteDeps;
  /** Where stored files are read, without a slash at its end; known when the port is. */
  readonly staticUrl: () => string;
  /**
   * For a request that is made through a key of this account, named by its hash; throws what
   * `Authenticator.choose` does.
   */
  chooseKey(hash: string, accountId: Uuid): Promise<Caller>;
}

export interface PanelPart<RouteDeps> {
  /** What its routes ask with. */
  readonly routeDeps: RouteDeps;
  /** Paths that the part answers itself, on the raw request. */
  readonly rawRoutes?: ReadonlyMap<string, RawHandler>;
  close(): Promise<void>;
}
