/**
 * What operators look at as a whole: today, upstreams, margin, the ledger's verification and the
 * audit log.
 */
import type { AuditList } from "../../../contract/panel/operator-audit.ts";
import type { LedgerStatus, Verification } from "../../../contract/panel/operator-ledger.ts";
import type { MarginReport } from "../../../contract/panel/operator-margin.ts";
import type { OperatorOverview } from "../../../contract/panel/operator-overview.ts";
import type { UpstreamsReport } from "../../../contract/panel/operator-upstreams.ts";
import type { AuditQuery } from "../../../business/operate/list-audit.ts";
import type { MarginQuery } from "../../../business/operate/read-margin.ts";
import type { Operator } from "../../../business/operate/operator.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { pageOf } from "./page-of.ts";

export interface OperatorBusinessUseCases {
  readOverview(): Promise<OperatorOverview>;
  readUpstreams(windowMs: number): Promise<UpstreamsReport>;
  readMargin(query: MarginQuery): Promise<MarginReport>;
  readLedger(): Promise<LedgerStatus>;
  verifyLedger(operator: Operator): Promise<Verification>;
  listAudit(query: AuditQuery): Promise<AuditList>;
}

const WINDOWS_MS = { "15m": 15 * 60_000, "24h": 24 * 3_600_000 } as const;

export function operatorBusinessRoutes(useCases: OperatorBusinessUseCases): Route[] {
  const needs = "operator";
  return [
    memberRoute("GET /operator/overview", {
      needs,
      handle: async () => ({ json: await useCases.readOverview() }),
    }),
    memberRoute("GET /operator/upstreams", {
      needs,
      handle: async ({ query }) => ({
        json: await useCases.readUpstreams(WINDOWS_MS[query.window ?? "15m"]),
      }),
    }),
    memberRoute("GET /operator/margin", {
      needs,
      handle: async ({ query: { from, to, by = "model" } }) => ({
        json: await useCases.readMargin({ from, to, by }),
      }),
    }),
    memberRoute("GET /operator/ledger", {
      needs,
      handle: async () => ({ json: await useCases.readLedger() }),
    }),
    memberRoute("POST /operator/ledger/verify", {
      needs,
      handle: async ({ member }) => ({
        json: await useCases.verifyLedger(member),
      }),
    }),
    memberRoute("GET /operator/audit", {
      needs,
      async handle({ query }) {
        const { account = null, member = null, action = null } = query;
        const times = { from: readMoment("from", query.from), to: readMoment("to", query.to) };
        return {
          json: await useCases.listAudit({
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
