/** Accounts for operators: found, looked at, credited, corrected, blocked and limited. */
import type {
  AccountBlock,
  AccountLimitsBody,
  AdjustBody,
  CreditBody,
  MoneyMoved,
  OperatorAccountDetail,
  OperatorAccountList,
} from "../../../contract/panel/operator-accounts.ts";
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { AccountQuery } from "../../../business/operate/list-any-accounts.ts";
import type { LedgerRequest, LedgerRows } from "../../../business/panel/account/list-ledger.ts";
import type { Operator } from "../../../business/operate/operator.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { RateLimits } from "../../../kernel/rate-limits.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { ledgerPage, ledgerRequest } from "../account/ledger-routes.ts";
import { pageOf } from "./page-of.ts";

export interface OperatorAccountsUseCases {
  listAccounts(query: AccountQuery): Promise<OperatorAccountList>;
  readAccount(accountId: Uuid): Promise<OperatorAccountDetail>;
  listAccountLedger(accountId: Uuid, request: LedgerRequest): Promise<LedgerRows>;
  credit(operator: Operator, accountId: Uuid, body: CreditBody): Promise<MoneyMoved>;
  adjust(operator: Operator, accountId: Uuid, body: AdjustBody): Promise<MoneyMoved>;
  block(operator: Operator, accountId: Uuid, reason: string): Promise<void>;
  unblock(operator: Operator, accountId: Uuid, reason: string | null): Promise<void>;
  limit(
    operator: Operator,
    accountId: Uuid,
    changes: Partial<RateLimits> & { readonly reason: string | null },
  ): Promise<void>;
  /** Of the member's own account. */
  readBlock(member: MemberCaller): Promise<AccountBlock>;
}

export function operatorAccountsRoutes(useCases: OperatorAccountsUseCases): Route[] {
  const needs = "operator";
  const detail = async ({ id }: { readonly id: Uuid }) => ({
    json: await useCases.readAccount(id),
  });
  return [
    memberRoute("GET /operator/accounts", {
      needs,
      async handle({ query }) {
        const blocked = query.state === undefined ? null : query.state === "blocked";
        return {
          json: await useCases.listAccounts({
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
          json: ledgerPage(await useCases.listAccountLedger(params.id, ledgerRequest(query))),
        };
      },
    }),
    memberRoute("POST /operator/accounts/{id}/credit", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await useCases.credit(member, params.id, body),
      }),
    }),
    memberRoute("POST /operator/accounts/{id}/adjust", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await useCases.adjust(member, params.id, body),
      }),
    }),
    memberRoute("POST /operator/accounts/{id}/block", {
      needs,
      async handle({ member, params, body }) {
        await useCases.block(member, params.id, body.reason);
        return detail(params);
      },
    }),
    memberRoute("POST /operator/accounts/{id}/unblock", {
      needs,
      async handle({ member, params, body }) {
        await useCases.unblock(member, params.id, body.reason ?? null);
        return detail(params);
      },
    }),
    memberRoute("POST /operator/accounts/{id}/limits", {
      needs,
      async handle({ member, params, body }) {
        await useCases.limit(member, params.id, limitsOf(body));
        return detail(params);
      },
    }),
    memberRoute("GET /account/block", {
      needs: "viewer",
      handle: async ({ member }) => ({ json: await useCases.readBlock(member) }),
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
