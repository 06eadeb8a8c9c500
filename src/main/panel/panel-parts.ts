/** What the parts of the panel are made of, and what each of them is. */
import type { ServiceStatus } from "../../business/operate/service-status.ts";
import type { Books } from "../../business/past/books.ts";
import type { Replica } from "../../db/replica.ts";
import type { PriceHistory } from "../../business/requests/price-history.ts";
import type { CallQuoteRouteDeps } from "../../http/routes/calls.ts";
import type { QuotesRouteDeps } from "../../http/routes/quotes.ts";
import type { TaskRouteDeps } from "../../http/task-route-deps.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { AccountBatches } from "../../serving/batches/account-batches.ts";
import type { Authenticator } from "../../serving/admission/authenticate.ts";
import type { Caller } from "../../serving/admission/find-caller.ts";
import type { RateGate } from "../../serving/admission/rate-gate.ts";
import type { Calls } from "../open-calls.ts";
import type { Chat } from "../open-chat.ts";
import type { Files } from "../open-files.ts";
import type { Parts } from "../parts.ts";

/** What its pages need, in a process with the api role. */
export interface PanelParts extends Parts {
  readonly authenticator: Authenticator<Caller>;
  readonly chat: Chat;
  readonly calls: Calls;
  /** As in the gateway's options. */
  readonly answerWaitMs?: number;
  readonly files: Files;
  readonly limits: RateGate;
  readonly prices: PriceHistory;
  /** Never fails; null: nothing could be read yet. */
  modelStatus(): Promise<ServiceStatus | null>;
  /** Entries and receipts, those in the archive too. */
  readonly books: Books;
  /** What lists may be read from; null: there is none. */
  readonly replica: Replica | null;
  /** What may be asked about a request without making it. */
  readonly inquiries: QuotesRouteDeps & CallQuoteRouteDeps;
  readonly tasks: TaskRouteDeps;
  readonly batches: AccountBatches;
  /**
   * For a request that is made through a key of this account, named by its hash; throws what
   * `Authenticator.choose` does.
   */
  chooseKey(hash: string, accountId: Uuid): Promise<Caller>;
}

export interface PanelPart<RouteDeps> {
  /** What its routes ask with. */
  readonly routeDeps: RouteDeps;
  close(): Promise<void>;
}
