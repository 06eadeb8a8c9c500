/**
 * What operators look at as a whole: today, upstreams, margin, the ledger's verification and the
 * audit log.
 */
import Type from "typebox";
import { MARGIN_GROUPINGS } from "../../../contract/enums/spend-grouping.ts";
import { AUDIT_ACTIONS, type AuditList } from "../../../contract/panel/operator-audit.ts";
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
import { PAGE_QUERY, pageOf, uuidQuery } from "./page-query.ts";

export interface OperatorBusinessUseCases {
  readOverview(): Promise<OperatorOverview>;
  readUpstreams(windowMs: number): Promise<UpstreamsReport>;
  readMargin(query: MarginQuery): Promise<MarginReport>;
  readLedger(): Promise<LedgerStatus>;
  verifyLedger(operator: Operator): Promise<Verification>;
  listAudit(query: AuditQuery): Promise<AuditList>;
}

const WINDOWS_MS = { "15m": 15 * 60_000, "24h": 24 * 3_600_000 } as const;
const day = Type.String({
  pattern: "^\\d{4}-\\d{2}-\\d{2}$",
  description: "YYYY-MM-DD, a day of Moscow.",
});

const MarginSearch = Type.Object({
  from: day,
  to: day,
  by: Type.Optional(Type.Enum([...MARGIN_GROUPINGS])),
});
const AuditSearch = Type.Object({
  ...PAGE_QUERY,
  account: uuidQuery,
  member: uuidQuery,
  action: Type.Optional(Type.Enum([...AUDIT_ACTIONS])),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
});

export function operatorBusinessRoutes(useCases: OperatorBusinessUseCases): Route[] {
  const path = "/panel/api/operator";
  const needs = "operator" as const;
  return [
    memberRoute({
      method: "GET",
      path: `${path}/overview`,
      needs,
      handle: async () => ({ content: { json: await useCases.readOverview() } }),
    }),
    memberRoute({
      method: "GET",
      path: `${path}/upstreams`,
      needs,
      query: Type.Object({ window: Type.Optional(Type.Enum(["15m", "24h"])) }),
      handle: async ({ query }) => ({
        content: { json: await useCases.readUpstreams(WINDOWS_MS[query.window ?? "15m"]) },
      }),
    }),
    memberRoute({
      method: "GET",
      path: `${path}/margin`,
      needs,
      query: MarginSearch,
      handle: async ({ query: { from, to, by = "model" } }) => ({
        content: { json: await useCases.readMargin({ from, to, by }) },
      }),
    }),
    memberRoute({
      method: "GET",
      path: `${path}/ledger`,
      needs,
      handle: async () => ({ content: { json: await useCases.readLedger() } }),
    }),
    memberRoute({
      method: "POST",
      path: `${path}/ledger/verify`,
      needs,
      body: Type.Object({}),
      handle: async ({ member }) => ({
        status: 202,
        content: { json: await useCases.verifyLedger(member) },
      }),
    }),
    memberRoute({
      method: "GET",
      path: `${path}/audit`,
      needs,
      query: AuditSearch,
      async handle({ query }) {
        const { account = null, member = null, action = null } = query;
        const times = { from: readMoment("from", query.from), to: readMoment("to", query.to) };
        return {
          content: {
            json: await useCases.listAudit({
              accountId: account,
              memberId: member,
              action,
              ...times,
              ...pageOf(query),
            }),
          },
        };
      },
    }),
  ];
}
