/** Routes of the panel with which operators watch the business, and work on tasks and prices. */
import Type from "typebox";
import { MARGIN_GROUPINGS } from "../../enums/spend-grouping.ts";
import { TASK_STATES } from "../../enums/task-state.ts";
import { TOP_UP_STATES } from "../../enums/top-up-state.ts";
import { AUDIT_ACTIONS, AuditList } from "../operator-audit.ts";
import {
  CatalogueApplied,
  CatalogueApplyBody,
  CatalogueCheck,
  CatalogueCheckBody,
  CatalogueDryRun,
  CataloguePrices,
  CatalogueSource,
  CatalogueVersionList,
} from "../operator-catalogue.ts";
import { LedgerStatus, Verification } from "../operator-ledger.ts";
import { MarginReport } from "../operator-margin.ts";
import { OperatorOverview } from "../operator-overview.ts";
import { OperatorReceipt, OperatorRequestList } from "../operator-requests.ts";
import {
  OperatorTaskDetail,
  OperatorTaskList,
  StuckTasks,
  TaskFailBody,
  TaskFailed,
  TaskRetried,
  TaskRetryBody,
} from "../operator-tasks.ts";
import {
  OperatorPaymentList,
  OperatorPaymentTotals,
  PaymentRefund,
  PaymentRefunds,
  RefundBody,
} from "../operator-payments.ts";
import {
  PutBackBody,
  RoutesOut,
  TakeOutBody,
  UpstreamErrors,
  UpstreamsReport,
} from "../operator-upstreams.ts";
import { UpstreamListBody, UpstreamListed, UpstreamLists } from "../upstream-list.ts";
import { PAGE_QUERY, nameQuery, uuidQuery } from "../page-query.ts";
import { Done, type PanelRouteTable } from "./panel-route.ts";

const day = Type.String({
  pattern: "^\\d{4}-\\d{2}-\\d{2}$",
  description: "YYYY-MM-DD, a day of Moscow.",
});
const WINDOW = Type.Optional(Type.Enum(["15m", "24h"]));
const TIMES = { from: Type.Optional(Type.String()), to: Type.Optional(Type.String()) };
const PAYMENT_FILTERS = {
  account: uuidQuery,
  state: Type.Optional(Type.Enum([...TOP_UP_STATES])),
};

export const OPERATOR_ROUTES = {
  "GET /operator/overview": { summary: "Today, at a glance", answer: OperatorOverview },
  "GET /operator/upstreams": {
    summary: "How upstreams fare",
    query: Type.Object({ window: WINDOW }),
    answer: UpstreamsReport,
  },
  "GET /operator/upstreams/errors": {
    summary: "The last calls of one that failed",
    query: Type.Object({
      upstream: Type.String({ minLength: 1, maxLength: 200 }),
      model: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      window: WINDOW,
    }),
    answer: UpstreamErrors,
  },
  "POST /operator/upstreams/take-out": {
    summary: "Take a route, or all routes to an upstream, out of use for a time",
    body: TakeOutBody,
    answer: RoutesOut,
  },
  "POST /operator/upstreams/put-back": {
    summary: "Put it back before its time",
    body: PutBackBody,
    answer: RoutesOut,
  },
  "GET /operator/payments": {
    summary: "The top-ups of all accounts through payment providers, newest first",
    query: Type.Object({
      ...PAGE_QUERY,
      ...PAYMENT_FILTERS,
      number: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: "The provider's number of one, or ours.",
        }),
      ),
    }),
    answer: OperatorPaymentList,
  },
  "GET /operator/payments/totals": {
    summary: "What the newest 10,000 of them add up to",
    query: Type.Object(PAYMENT_FILTERS),
    answer: OperatorPaymentTotals,
  },
  "GET /operator/payments/{id}/refunds": {
    summary: "Its refunds, and what may still be refunded of it",
    uuids: ["id"],
    answer: PaymentRefunds,
  },
  "POST /operator/payments/{id}/refunds": {
    summary: "Take a sum from what was paid, and have the provider pay it back",
    uuids: ["id"],
    body: RefundBody,
    answer: PaymentRefund,
    status: 201,
  },
  "GET /operator/margin": {
    summary: "What was earned, by day, model or upstream",
    query: Type.Object({
      from: day,
      to: day,
      by: Type.Optional(Type.Enum([...MARGIN_GROUPINGS])),
    }),
    answer: MarginReport,
  },
  "GET /operator/ledger": { summary: "Whether the books add up", answer: LedgerStatus },
  "POST /operator/ledger/verify": {
    summary: "Have them added up now",
    body: Done,
    answer: Verification,
    status: 202,
  },
  "GET /operator/audit": {
    summary: "Everything an operator did, newest first",
    query: Type.Object({
      ...PAGE_QUERY,
      account: uuidQuery,
      member: uuidQuery,
      action: Type.Optional(Type.Enum([...AUDIT_ACTIONS])),
      ...TIMES,
    }),
    answer: AuditList,
  },
  "GET /operator/requests": {
    summary: "The requests of all accounts, newest first",
    query: Type.Object({
      ...PAGE_QUERY,
      account: uuidQuery,
      key: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$", description: "Its hash." })),
      model: nameQuery,
      state: Type.Optional(Type.String({ pattern: "^[a-z_]{1,40}$" })),
      upstream: nameQuery,
      ...TIMES,
    }),
    answer: OperatorRequestList,
  },
  "GET /operator/requests/{id}": {
    summary: "A receipt with what its owner does not see",
    answer: OperatorReceipt,
  },
  "GET /operator/tasks": {
    summary: "The tasks of all accounts, newest first",
    query: Type.Object({
      ...PAGE_QUERY,
      account: uuidQuery,
      model: nameQuery,
      state: Type.Optional(Type.Enum([...TASK_STATES])),
    }),
    answer: OperatorTaskList,
  },
  "GET /operator/tasks/stuck": {
    summary: "What an operator should look at",
    query: Type.Object({ reconcile: Type.Optional(Type.Enum(["true", "false"])) }),
    answer: StuckTasks,
  },
  "GET /operator/tasks/{id}": { summary: "One task", uuids: ["id"], answer: OperatorTaskDetail },
  "POST /operator/tasks/{id}/retry": {
    summary: "Do its next step now; nothing is submitted twice by it",
    uuids: ["id"],
    body: TaskRetryBody,
    answer: TaskRetried,
  },
  "POST /operator/tasks/{id}/fail": {
    summary: "End it and give its money back",
    uuids: ["id"],
    body: TaskFailBody,
    answer: TaskFailed,
  },
  "GET /operator/catalogue": { summary: "The catalogue in force", answer: CatalogueSource },
  "GET /operator/catalogue/versions": {
    summary: "Its history, newest first",
    query: Type.Object(PAGE_QUERY),
    answer: CatalogueVersionList,
  },
  "GET /operator/catalogue/versions/{version}": {
    summary: "An earlier one",
    answer: CatalogueSource,
  },
  "POST /operator/catalogue/check": {
    summary: "Check another one; changes nothing",
    body: CatalogueCheckBody,
    answer: CatalogueCheck,
  },
  "POST /operator/catalogue/prices": {
    summary: "Where each price stands in it, and what it leaves; changes nothing",
    body: CatalogueCheckBody,
    answer: CataloguePrices,
  },
  "GET /operator/catalogue/upstream-lists": {
    summary: "Which upstreams can be asked for a list of their models",
    answer: UpstreamLists,
  },
  "POST /operator/catalogue/upstream-list": {
    summary: "Ask one, and hold it against a catalogue; changes nothing",
    body: UpstreamListBody,
    answer: UpstreamListed,
  },
  "POST /operator/catalogue/apply": {
    summary:
      "Put it in force: 409 when another version came between, 400 with `errors` for mistakes",
    body: CatalogueApplyBody,
    answer: CatalogueApplied,
  },
  "POST /operator/catalogue/dry-run": {
    summary: "What the last 7 days would have brought under it, about",
    body: CatalogueCheckBody,
    answer: CatalogueDryRun,
  },
} as const satisfies PanelRouteTable;
