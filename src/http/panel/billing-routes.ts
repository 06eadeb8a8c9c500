/** Top-ups: the panel's routes for them, and the one that payment providers call. */
import Type from "typebox";
import { beginTopUp } from "../../business/payments/begin-top-up.ts";
import { hearNotification, type HearingDeps } from "../../business/payments/hear-notification.ts";
import { findTopUp, listTopUps } from "../../business/payments/list-top-ups.ts";
import { readBilling } from "../../business/payments/read-billing.ts";
import { Fault } from "../../kernel/faults.ts";
import { readBody } from "../chat-body.ts";
import type { Route } from "../route.ts";
import { openIncomingRoute } from "../route.ts";
import { memberRoute } from "./member-route.ts";
import { topUpsWithoutPages, topUpWithoutPage } from "./withheld.ts";

export interface BillingRouteDeps extends HearingDeps {
  /** Aborted when the process stops: no provider is waited for any longer. */
  readonly stopping: AbortSignal;
}

/** Notifications hold one payment. */
const BODY_LIMIT_BYTES = 64 * 1024;
const BODY_DEADLINE_MS = 5_000;

export function billingRoutes(deps: BillingRouteDeps): Route[] {
  const { db, payments } = deps;
  return [
    memberRoute("GET /billing", {
      needs: "viewer",
      seen: true,
      handle: async ({ member }) => ({
        json: await readBilling(db, payments, member.accountId),
      }),
    }),
    memberRoute("POST /top-ups", {
      needs: "manager",
      handle: async ({ member, body }) => ({
        json: await beginTopUp(payments, member, body, deps.stopping),
      }),
    }),
    memberRoute("GET /top-ups", {
      needs: "viewer",
      seen: topUpsWithoutPages,
      async handle({ member, query }) {
        const { rows, next } = await listTopUps(db, member.accountId, query);
        return { json: { data: [...rows], nextCursor: next } };
      },
    }),
    memberRoute("GET /top-ups/{id}", {
      needs: "viewer",
      seen: topUpWithoutPage,
      async handle({ member, params }) {
        const topUp = await findTopUp(db, member.accountId, params.id);
        if (topUp === null) throw new Fault("not_found");
        return { json: topUp };
      },
    }),
    openIncomingRoute({
      method: "POST",
      path: "/payments/notify/{provider}",
      doc: {
        operationId: "hearPayments",
        summary: "What a payment provider reports",
        description:
          "Not for callers: all it does is that the provider is asked about the payment now.",
        internal: true,
        tag: "Panel",
        pathParameters: { provider: { description: "Its name here.", example: "yookassa" } },
        responses: {
          200: { description: "It was heard.", content: { "application/json": Type.Object({}) } },
        },
        errors: [],
      },
      async handle({ params, body: incoming }) {
        incoming.begin();
        // Whatever is wrong with it, it speaks of no payment then.
        const body = await readBody(incoming.request, BODY_LIMIT_BYTES, BODY_DEADLINE_MS).catch(
          () => Buffer.alloc(0),
        );
        const heard = await hearNotification(deps, { name: params["provider"] ?? "", body });
        if (!heard) throw new Fault("rate_limit_exceeded", { retryAfterSeconds: 5 });
        return { content: { json: {} } };
      },
    }),
  ];
}
