/**
 * Composition of what a key may ask about its requests: their receipts, with the price lists that
 * explain them.
 */
import type { Queryable } from "../db/database.ts";
import { listRequests } from "../business/requests/list-requests.ts";
import { createPriceHistory } from "../business/requests/price-history.ts";
import { readRequest } from "../business/requests/read-request.ts";
import type { RequestsRouteDeps } from "../http/routes/requests.ts";
import type { Environment } from "../config/config.ts";

export function receiptInquiries(db: Queryable, env: Environment): RequestsRouteDeps {
  const prices = createPriceHistory(db, env);
  return {
    listRequests: (key, query) => listRequests({ db, prices }, key.accountId, query),
    readRequest: (key, requestId) =>
      readRequest(db, prices, { accountId: key.accountId, requestId }),
  };
}
