/** Accounts for operators: found, looked at, credited, corrected, blocked and limited. */
import Type from "typebox";
import { ACCOUNT_STATES } from "../../../contract/enums/account-state.ts";
import {
  AccountLimitsBody,
  AdjustBody,
  BlockBody,
  CreditBody,
  UnblockBody,
  type AccountBlock,
  type MoneyMoved,
  type OperatorAccountDetail,
  type OperatorAccountList,
} from "../../../contract/panel/operator-accounts.ts";
import { LedgerQuery } from "../../../contract/panel/ledger-entry.ts";
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { AccountQuery } from "../../../business/operate/list-any-accounts.ts";
import type { LedgerRequest, LedgerRows } from "../../../business/panel/account/list-ledger.ts";
import type { Operator } from "../../../business/operate/operator.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { RateLimits } from "../../../kernel/rate-limits.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { ledgerPage, ledgerRequest } from "../account/ledger-routes.ts";
import { PAGE_QUERY, nameQuery, pageOf } from "./page-query.ts";

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

const ListQuery = Type.Object({
  ...PAGE_QUERY,
  search: nameQuery,
  state: Type.Optional(Type.Enum([...ACCOUNT_STATES])),
});

export function operatorAccountsRoutes(useCases: OperatorAccountsUseCases): Route[] {
  const path = "/panel/api/operator/accounts";
  const one = {
    path: `${path}/{id}`,
    uuids: ["id"] as readonly string[],
    needs: "operator" as const,
  };
  const idOf = (params: Readonly<Record<string, string>>): Uuid => params["id"] ?? "";
  const detail = async (accountId: Uuid) => ({
    content: { json: await useCases.readAccount(accountId) },
  });
  return [
    memberRoute({
      method: "GET",
      path,
      needs: "operator",
      query: ListQuery,
      async handle({ query }) {
        const blocked = query.state === undefined ? null : query.state === "blocked";
        return {
          content: {
            json: await useCases.listAccounts({
              search: query.search ?? null,
              blocked,
              ...pageOf(query),
            }),
          },
        };
      },
    }),
    memberRoute({ ...one, method: "GET", handle: ({ params }) => detail(idOf(params)) }),
    memberRoute({
      ...one,
      method: "GET",
      path: `${path}/{id}/ledger`,
      query: LedgerQuery,
      async handle({ params, query }) {
        return {
          content: {
            json: ledgerPage(await useCases.listAccountLedger(idOf(params), ledgerRequest(query))),
          },
        };
      },
    }),
    memberRoute({
      ...one,
      method: "POST",
      path: `${path}/{id}/credit`,
      body: CreditBody,
      handle: async ({ member, params, body }) => ({
        content: { json: await useCases.credit(member, idOf(params), body) },
      }),
    }),
    memberRoute({
      ...one,
      method: "POST",
      path: `${path}/{id}/adjust`,
      body: AdjustBody,
      handle: async ({ member, params, body }) => ({
        content: { json: await useCases.adjust(member, idOf(params), body) },
      }),
    }),
    memberRoute({
      ...one,
      method: "POST",
      path: `${path}/{id}/block`,
      body: BlockBody,
      async handle({ member, params, body }) {
        await useCases.block(member, idOf(params), body.reason);
        return detail(idOf(params));
      },
    }),
    memberRoute({
      ...one,
      method: "POST",
      path: `${path}/{id}/unblock`,
      body: UnblockBody,
      async handle({ member, params, body }) {
        await useCases.unblock(member, idOf(params), body.reason ?? null);
        return detail(idOf(params));
      },
    }),
    memberRoute({
      ...one,
      method: "POST",
      path: `${path}/{id}/limits`,
      body: AccountLimitsBody,
      async handle({ member, params, body }) {
        await useCases.limit(member, idOf(params), limitsOf(body));
        return detail(idOf(params));
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/account/block",
      needs: "viewer",
      handle: async ({ member }) => ({ content: { json: await useCases.readBlock(member) } }),
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
