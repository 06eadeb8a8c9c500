/** The payments of all accounts for operators: what there are, and their refunds. */
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { pageOf } from "./page-of.ts";
import { listAnyPayments } from "../../../business/operate/list-any-payments.ts";
import { readRefunds } from "../../../business/operate/list-refunds.ts";
import { refundPayment } from "../../../business/operate/refund-payment.ts";
import { sumAnyPayments } from "../../../business/operate/sum-any-payments.ts";
import type { OperatorRouteDeps } from "./operator-route-deps.ts";

export function operatorPaymentRoutes({
  db,
  topUps,
}: Pick<OperatorRouteDeps, "db" | "topUps">): Route[] {
  const needs = "operator";
  return [
    memberRoute("GET /operator/payments", {
      needs,
      async handle({ query }) {
        const { account = null, state = null, number = null } = query;
        return {
          json: await listAnyPayments(db, {
            accountId: account,
            state,
            number: number?.trim() ?? null,
            ...pageOf(query),
          }),
        };
      },
    }),
    memberRoute("GET /operator/payments/totals", {
      needs,
      handle: async ({ query: { account = null, state = null } }) => ({
        json: await sumAnyPayments(db, { accountId: account, state }),
      }),
    }),
    memberRoute("GET /operator/payments/{id}/refunds", {
      needs,
      handle: async ({ params }) => ({
        json: await readRefunds(db, topUps.payments, params.id),
      }),
    }),
    memberRoute("POST /operator/payments/{id}/refunds", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await refundPayment(
          topUps.payments,
          member,
          { paymentId: params.id, body },
          topUps.stopping,
        ),
      }),
    }),
  ];
}
