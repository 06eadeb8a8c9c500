/** Accounts for operators: found, looked at, noted of, credited, corrected, blocked and limited. */
import type { AccountSort } from "../../../contract/enums/account-sort.ts";
import type { AccountState } from "../../../contract/enums/account-state.ts";
import type { AccountLimitsBody } from "../../../contract/panel/operator-accounts.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Route } from "../../route.ts";
import { memberContentRoute, memberRoute } from "../member-route.ts";
import { csvAnswer, csvReader } from "../account/csv-answer.ts";
import { ledgerPage, ledgerRequest } from "../account/ledger-routes.ts";
import { pageOf } from "./page-of.ts";
import { readAnyAccount } from "../../../business/operate/read-any-account.ts";
import { exportAccounts } from "../../../business/operate/export-accounts.ts";
import {
  listAnyAccounts,
  readBlock,
  type AccountFilters,
} from "../../../business/operate/list-any-accounts.ts";
import { noteAccount } from "../../../business/operate/note-account.ts";
import { listAnyLedger } from "../../../business/operate/list-any-ledger.ts";
import { adjustAccount, creditAccount } from "../../../business/operate/move-money.ts";
import { blockAccount, unblockAccount } from "../../../business/operate/block-account.ts";
import { limitAccount } from "../../../business/operate/limit-account.ts";
import type { OperatorRouteDeps } from "./operator-route-deps.ts";

export function operatorAccountsRoutes(deps: OperatorRouteDeps): Route[] {
  const { db, lists } = deps;
  const needs = "operator";
  const detail = async ({ id }: { readonly id: Uuid }) => ({
    json: await readAnyAccount(deps, id),
  });
  return [
    memberRoute("GET /operator/accounts", {
      needs,
      handle: async ({ query }) => ({
        json: await listAnyAccounts(db, { ...filtersOf(query), ...pageOf(query) }),
      }),
    }),
    memberContentRoute("GET /operator/accounts.csv", {
      needs,
      async handle({ query }) {
        const wish = { ...filtersOf(query), ...csvReader(query) };
        const { fileName = "tollgate-accounts" } = query;
        return csvAnswer(fileName, exportAccounts(db, wish));
      },
    }),
    memberRoute("GET /operator/accounts/{id}", { needs, handle: ({ params }) => detail(params) }),
    memberRoute("GET /operator/accounts/{id}/ledger", {
      needs,
      async handle(call) {
        const request = ledgerRequest(call.query);
        const { books } = lists(call);
        return { json: ledgerPage(await listAnyLedger(books, call.params.id, request)) };
      },
    }),
    memberRoute("POST /operator/accounts/{id}/credit", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await creditAccount(db, member, params.id, body),
      }),
    }),
    memberRoute("POST /operator/accounts/{id}/adjust", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await adjustAccount(db, member, params.id, body),
      }),
    }),
    memberRoute("POST /operator/accounts/{id}/block", {
      needs,
      async handle({ member, params, body }) {
        await blockAccount(db, member, params.id, body.reason);
        return detail(params);
      },
    }),
    memberRoute("POST /operator/accounts/{id}/unblock", {
      needs,
      async handle({ member, params, body }) {
        await unblockAccount(db, member, params.id, body.reason ?? null);
        return detail(params);
      },
    }),
    memberRoute("POST /operator/accounts/{id}/limits", {
      needs,
      async handle({ member, params, body }) {
        await limitAccount(db, member, params.id, limitsOf(body));
        return detail(params);
      },
    }),
    memberRoute("POST /operator/accounts/{id}/notes", {
      needs,
      async handle({ member, params, body }) {
        await noteAccount(db, member, params.id, body);
        return detail(params);
      },
    }),
    memberRoute("GET /account/block", {
      needs: "developer",
      seen: true,
      handle: async ({ member }) => ({ json: await readBlock(db, member.accountId) }),
    }),
  ];
}

function filtersOf({
  search,
  state,
  tag,
  sort = "newest",
}: {
  readonly search?: string;
  readonly state?: AccountState;
  readonly tag?: string;
  readonly sort?: AccountSort;
}): AccountFilters {
  const blocked = state === undefined ? null : state === "blocked";
  return { search: search ?? null, blocked, tag: tag ?? null, sort };
}

/** Without the fields that were not sent, and whatever else was. */
function limitsOf({
  requestsPerMinute,
  tokensPerMinute,
  maxConcurrent,
  maxTasks,
  reason,
  revision,
}: AccountLimitsBody) {
  return {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
    ...(maxTasks === undefined ? {} : { maxTasks }),
    ...(revision === undefined ? {} : { revision }),
    reason: reason ?? null,
  };
}
