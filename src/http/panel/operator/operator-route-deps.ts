/** What the operators' routes are asked with: all of them see the whole installation. */
import type { Books } from "../../../business/past/books.ts";
import type { PriceHistory } from "../../../business/requests/price-history.ts";
import type { Environment } from "../../../catalogue/interpolate.ts";
import type { LiveCatalogue } from "../../../catalogue/live-catalogue.ts";
import type { Db } from "../../../db/database.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { TokenHash } from "../../../kernel/opaque-token.ts";
import type { Outgoing } from "../../../net/outgoing.ts";
import type { MediaWorkers } from "../../../media/media-workers.ts";
import type { BillingRouteDeps } from "../billing-routes.ts";
import type { ListSourceOf } from "../list-source.ts";

export interface OperatorRouteDeps {
  readonly db: Db;
  readonly books: Books;
  readonly lists: ListSourceOf;
  readonly env: Environment;
  readonly clock: Clock;
  /** To upstreams, for their lists of models. */
  readonly outgoing: Outgoing;
  readonly catalogue: LiveCatalogue;
  readonly prices: PriceHistory;
  /** Draws pictures anew. */
  readonly media: Pick<MediaWorkers, "toPng">;
  readonly hashToken: TokenHash;
  /** For refunds. */
  readonly topUps: Pick<BillingRouteDeps, "payments" | "stopping">;
  /** Where stored files are read, without a slash at its end. */
  staticUrl(): string;
}
