/** Accounts for operators: found, looked at, credited, corrected, blocked and limited. */
import type { AccountLimitsBody } from "../../../contract/panel/operator-accounts.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { ledgerPage, ledgerRequest } from "../account/ledger-routes.ts";
import { pageOf } from "./page-of.ts";
import { readAnyAccount } from "../../../business/operate/read-any-account.ts";
import { listAnyAccounts, readBlock } from "../../../business/operate/list-any-accounts.ts";
import { listAnyLedger } from "../../../business/operate/list-any-ledger.ts";
import { adjustAccount, creditAccount } from "../../../business/operate/move-money.ts";
import { blockAccount, unblockAccount } from "../../../business/operate/block-account.ts";
import { limitAccount } from "../../../business/operate/limit-account.ts";
import type { OperatorRouteDeps } from "./operator-route-deps.ts";

export function operatorAccountsRoutes(deps: OperatorRouteDeps): Route[] {
  const { db, books } = deps;
  const needs = "operator";
  const detail = async ({ id }: { readonly id: Uuid }) => ({
    json: await readAnyAccount(deps, id),
  });
  return [
    memberRoute("GET /operator/accounts", {
      needs,
      async handle({ query }) {
        const blocked = query.state === undefined ? null : query.state === "blocked";
        return {
          json: await listAnyAccounts(db, {
            search: query.search ?? null,
            blocked,
            ...pageOf(query),
          }),
        };
      },
    }),
    memberRoute("GET /operator/accounts/{id}", { needs, handle: ({ params }) => detail(params) }),
    memberRoute("GET /operator/accounts/{id}/ledger", {
      needs,
      async handle({ params, query }) {
        return {
          json: ledgerPage(await listAnyLedger(books, params.id, ledgerRequest(query))),
        };
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
    memberRoute("GET /account/block", {
      needs: "viewer",
      handle: async ({ member }) => ({ json: await readBlock(db, member.accountId) }),
    }),
  ];
}

/** Without the fields that were not sent, and whatever else was. */
function limitsOf({
  requestsPerMinute,
  tokensPerMinute,
  maxConcurrent,
  maxTasks,
  reason,
}: AccountLimitsBody) {
  return {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
    ...(maxTasks === undefined ? {} : { maxTasks }),
    reason: reason ?? null,
  };
}
