/**
 * What operators look at as a whole: today, margin, the ledger's verification and the audit log.
 */
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { pageOf } from "./page-of.ts";
import { readOperatorOverview } from "../../../business/operate/read-operator-overview.ts";
import { readMargin } from "../../../business/operate/read-margin.ts";
import { askForVerification, readLedgerStatus } from "../../../business/operate/ledger-status.ts";
import { listAudit } from "../../../business/operate/list-audit.ts";
import type { OperatorRouteDeps } from "./operator-route-deps.ts";

export function operatorBusinessRoutes(deps: OperatorRouteDeps): Route[] {
  const { db, lists } = deps;
  const needs = "operator";
  return [
    memberRoute("GET /operator/overview", {
      needs,
      handle: async () => ({ json: await readOperatorOverview(deps) }),
    }),
    memberRoute("GET /operator/margin", {
      needs,
      handle: async ({ query: { from, to, by = "model" } }) => ({
        json: await readMargin(db, { from, to, by }),
      }),
    }),
    memberRoute("GET /operator/ledger", {
      needs,
      handle: async () => ({ json: await readLedgerStatus(db) }),
    }),
    memberRoute("POST /operator/ledger/verify", {
      needs,
      handle: async ({ member }) => ({
        json: await askForVerification(db, member),
      }),
    }),
    memberRoute("GET /operator/audit", {
      needs,
      async handle(call) {
        const { query } = call;
        const { account = null, member = null, action = null } = query;
        const times = { from: readMoment("from", query.from), to: readMoment("to", query.to) };
        return {
          json: await listAudit(lists(call).db, {
            accountId: account,
            memberId: member,
            action,
            ...times,
            ...pageOf(query),
          }),
        };
      },
    }),
  ];
}
