/** Routes of the panel with which operators see and change accounts. */
import Type from "typebox";
import { ACCOUNT_SORTS } from "../../enums/account-sort.ts";
import { ACCOUNT_STATES } from "../../enums/account-state.ts";
import { LedgerPage, LedgerQuery } from "../ledger-entry.ts";
import {
  AccountLimitsBody,
  AccountNotesBody,
  AdjustBody,
  BlockBody,
  CreditBody,
  MoneyMoved,
  OperatorAccountDetail,
  OperatorAccountList,
  SeeAsBegun,
  UnblockBody,
} from "../operator-accounts.ts";
import { PAGE_QUERY, SPELLING, nameQuery } from "../page-query.ts";
import type { PanelRouteTable } from "./panel-route.ts";

const ACCOUNT_FILTERS = {
  search: nameQuery,
  state: Type.Optional(Type.Enum([...ACCOUNT_STATES])),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  sort: Type.Optional(Type.Enum([...ACCOUNT_SORTS])),
};

export const OPERATOR_ACCOUNT_ROUTES = {
  "GET /operator/accounts": {
    summary: "All accounts, by default newest first",
    query: Type.Object({ ...PAGE_QUERY, ...ACCOUNT_FILTERS }),
    answer: OperatorAccountList,
  },
  "GET /operator/accounts.csv": {
    summary: "The same as a file",
    query: Type.Object({ ...ACCOUNT_FILTERS, ...SPELLING }),
    content: "text/csv",
  },
  "GET /operator/accounts/{id}": {
    summary: "One account",
    uuids: ["id"],
    answer: OperatorAccountDetail,
  },
  "GET /operator/accounts/{id}/ledger": {
    summary: "Its money, entry by entry",
    uuids: ["id"],
    query: LedgerQuery,
    answer: LedgerPage,
  },
  "POST /operator/accounts/{id}/credit": {
    summary: "Credit money that was paid in from outside",
    uuids: ["id"],
    body: CreditBody,
    answer: MoneyMoved,
  },
  "POST /operator/accounts/{id}/adjust": {
    summary: "Correct its balance",
    uuids: ["id"],
    body: AdjustBody,
    answer: MoneyMoved,
  },
  "POST /operator/accounts/{id}/block": {
    summary: "Block it",
    uuids: ["id"],
    body: BlockBody,
    answer: OperatorAccountDetail,
  },
  "POST /operator/accounts/{id}/unblock": {
    summary: "Unblock it",
    uuids: ["id"],
    body: UnblockBody,
    answer: OperatorAccountDetail,
  },
  "POST /operator/accounts/{id}/limits": {
    summary: "Change its limits",
    uuids: ["id"],
    body: AccountLimitsBody,
    answer: OperatorAccountDetail,
  },
  "POST /operator/accounts/{id}/see-as": {
    summary:
      "See the panel as a member of it for half an hour: a cookie is set, with which nothing but reading it is possible",
    uuids: ["id"],
    answer: SeeAsBegun,
  },
  "POST /operator/accounts/{id}/notes": {
    summary: "Note what operators know of it",
    uuids: ["id"],
    body: AccountNotesBody,
    answer: OperatorAccountDetail,
  },
} as const satisfies PanelRouteTable;
