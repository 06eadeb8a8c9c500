/** Top-ups: the panel's routes for them, and the one that payment providers call. */
import Type from "typebox";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { Billing, TopUp, TopUpBegun, TopUpOrder } from "../../contract/panel/top-up.ts";
import type { Page, PageRequest } from "../../serving/read-page.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { readBody } from "../chat-body.ts";
import type { Route } from "../route.ts";
import { openIncomingRoute } from "../route.ts";
import { memberRoute } from "./member-route.ts";

export interface BillingUseCases {
  readBilling(accountId: Uuid): Promise<Billing>;
  /** Throws the fault that refuses it. */
  beginTopUp(member: MemberCaller, order: TopUpOrder): Promise<TopUpBegun>;
  listTopUps(accountId: Uuid, page: PageRequest): Promise<Page<TopUp>>;
  findTopUp(accountId: Uuid, topUpId: string): Promise<TopUp | null>;
  /** False: too many of them come, and this one was not heard. */
  hearPayments(report: { readonly name: string; readonly body: Buffer }): Promise<boolean>;
}

/** Notifications hold one payment. */
const BODY_LIMIT_BYTES = 64 * 1024;
const BODY_DEADLINE_MS = 5_000;

export function billingRoutes(useCases: BillingUseCases): Route[] {
  return [
    memberRoute("GET /billing", {
      needs: "viewer",
      handle: async ({ member }) => ({
        json: await useCases.readBilling(member.accountId),
      }),
    }),
    memberRoute("POST /top-ups", {
      needs: "manager",
      handle: async ({ member, body }) => ({
        json: await useCases.beginTopUp(member, body),
      }),
    }),
    memberRoute("GET /top-ups", {
      needs: "viewer",
      async handle({ member, query }) {
        const { rows, next } = await useCases.listTopUps(member.accountId, query);
        return { json: { data: [...rows], nextCursor: next } };
      },
    }),
    memberRoute("GET /top-ups/{id}", {
      needs: "viewer",
      async handle({ member, params }) {
        const topUp = await useCases.findTopUp(member.accountId, params.id);
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
        const heard = await useCases.hearPayments({ name: params["provider"] ?? "", body });
        if (!heard) throw new Fault("rate_limit_exceeded", { retryAfterSeconds: 5 });
        return { content: { json: {} } };
      },
    }),
  ];
}
