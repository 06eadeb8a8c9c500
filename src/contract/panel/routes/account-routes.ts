/** Routes of the panel for what an account sees of itself: spend, requests, models, its money. */
import Type from "typebox";
import { AccountLog, AccountLogQuery } from "../account-log.ts";
import { LedgerDayPage, LedgerDaysQuery } from "../ledger-days.ts";
import { LedgerPage, LedgerQuery } from "../ledger-entry.ts";
import { LedgerTurnover, TurnoverQuery } from "../ledger-turnover.ts";
import { AccountBlock } from "../operator-accounts.ts";
import { Overview } from "../overview.ts";
import { PAGE_QUERY, SPELLING } from "../page-query.ts";
import { PanelBatch, PanelBatchList } from "../panel-batch.ts";
import { PanelModelList, PanelModelStatusList, PanelTaskQuote } from "../panel-model.ts";
import { PanelReceipt, PanelRequestList, PanelRequestQuery } from "../panel-request.ts";
import { RequestTotals, RequestTotalsQuery } from "../request-totals.ts";
import { Spend, SpendQuery } from "../spend.ts";
import { Billing, TopUp, TopUpBegun, TopUpList, TopUpOrder } from "../top-up.ts";
import { Usage, UsageQuery } from "../usage.ts";
import type { PanelRouteTable } from "./panel-route.ts";
import { TaskParameters } from "./playground-routes.ts";

export const ACCOUNT_ROUTES = {
  "GET /account/block": {
    summary: "Whether an operator has blocked the account",
    answer: AccountBlock,
  },
  "GET /overview": { summary: "The account at a glance", answer: Overview },
  "GET /spend": {
    summary: "What was spent, by day, key, model, group or member",
    query: SpendQuery,
    answer: Spend,
  },
  "GET /usage": {
    summary:
      "What was used in a time, against the same length before, by key, member, group, model or kind",
    query: UsageQuery,
    answer: Usage,
  },
  "GET /requests": {
    summary: "Chat requests and tasks, newest first",
    query: PanelRequestQuery,
    answer: PanelRequestList,
  },
  "GET /requests.csv": {
    summary: "The same as a file, however many",
    query: Type.Object({ ...PanelRequestQuery.properties, ...SPELLING }),
    content: "text/csv",
  },
  "GET /requests/totals": {
    summary: "What the requests of a filter add up to",
    query: RequestTotalsQuery,
    answer: RequestTotals,
  },
  "GET /requests/{id}": { summary: "The receipt of one", answer: PanelReceipt },
  "GET /ledger": {
    summary: "The account's money, entry by entry",
    query: LedgerQuery,
    answer: LedgerPage,
  },
  "GET /ledger/turnover": {
    summary: "What the entries of a time add up to",
    query: TurnoverQuery,
    answer: LedgerTurnover,
  },
  "GET /ledger/days": {
    summary: "The entries folded by day",
    query: LedgerDaysQuery,
    answer: LedgerDayPage,
  },
  "GET /ledger.csv": {
    summary: "The entries as a file",
    query: Type.Object({ ...LedgerQuery.properties, ...SPELLING }),
    content: "text/csv",
  },
  "GET /log": {
    summary: "What members changed of the account, newest first",
    query: AccountLogQuery,
    answer: AccountLog,
  },
  "GET /log.csv": {
    summary: "The same as a file",
    query: Type.Object({ ...AccountLogQuery.properties, ...SPELLING }),
    content: "text/csv",
  },
  "GET /batches": {
    summary: "Batches of both protocols, newest first",
    query: Type.Object(PAGE_QUERY),
    answer: PanelBatchList,
  },
  "POST /batches/{id}/cancel": {
    summary: "Stop a batch: what is under way ends and is charged",
    answer: PanelBatch,
  },
  "GET /models": { summary: "What can be called, at what price", answer: PanelModelList },
  "GET /models/status": {
    summary: "Whether each model works, how often it answered and how fast it is",
    answer: PanelModelStatusList,
  },
  "POST /quote/tasks/{+model}": {
    summary: "What a task would cost the account, whatever key ordered it",
    rawBody: { schema: TaskParameters },
    answer: PanelTaskQuote,
  },
  "GET /billing": { summary: "How the account can be topped up", answer: Billing },
  "POST /top-ups": {
    summary: "Begin a top-up: send the browser to `redirectUrl`",
    body: TopUpOrder,
    answer: TopUpBegun,
    status: 201,
  },
  "GET /top-ups": {
    summary: "Top-ups, newest first",
    query: Type.Object(PAGE_QUERY),
    answer: TopUpList,
  },
  "GET /top-ups/{id}": { summary: "One top-up", answer: TopUp },
} as const satisfies PanelRouteTable;
