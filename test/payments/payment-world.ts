/**
 * Top-ups as one process of the gateway runs them, over a real database and the sandbox's provider:
 * its routes, its work, what it told.
 */
import type { DatedReceiptTerms } from "../../src/catalogue/catalogue.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import type {
  PaymentAlert,
  PaymentDeps,
  PaymentTimes,
} from "../../src/business/payments/payment-deps.ts";
import { createReceiptRule } from "../../src/business/payments/receipt-rule.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { billingRoutes } from "../../src/http/panel/billing-routes.ts";
import { operatorPaymentRoutes } from "../../src/http/panel/operator/payment-routes.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { openTopUps, workTopUps } from "../../src/main/panel/open-top-ups.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import type { PaymentProvider } from "../../src/upstreams/payments/payment-provider.ts";
import { createYooKassa } from "../../src/upstreams/payments/yookassa.ts";
import { openPanelEndpoint, type PanelEndpoint } from "../support/panel-endpoint.ts";

export interface PaymentWorldOptions {
  readonly databaseUrl: string;
  /** Of the sandbox, without a path. */
  readonly sandboxUrl: string;
  /** Where browsers come back to, so where the sandbox notifies; absent: this very process. */
  readonly shopUrl?: string;
  readonly times?: Partial<PaymentTimes>;
  /** Absent: it works. */
  readonly works?: boolean;
  /** What receipts say; asked each time. Absent: nothing. */
  receipts?(): readonly DatedReceiptTerms[];
  /** Absent: one that issues no receipts. */
  readonly shopId?: string;
  /** Puts itself between the gateway and the provider. */
  wrap?(provider: PaymentProvider): PaymentProvider;
}

export interface PaymentWorld {
  readonly db: Db;
  readonly endpoint: PanelEndpoint;
  readonly deps: PaymentDeps;
  readonly alerts: readonly PaymentAlert[];
  readonly troubles: readonly string[];
  /** How often the provider was asked. */
  readonly calls: { create: number; read: number };
  close(): Promise<void>;
}

/** Soon enough for tests, and never within a claim. */
const TIMES: PaymentTimes = {
  claimMs: 60_000,
  nextReadMs: () => 300,
  createWithinSeconds: 3600,
  expireSeconds: 24 * 3600,
  forgetSeconds: 7 * 24 * 3600,
};

export async function openPaymentWorld(options: PaymentWorldOptions): Promise<PaymentWorld> {
  const db = openDatabase({
    url: options.databaseUrl,
    poolSize: 10,
    applicationName: "payments test",
    onError: () => undefined,
  });
  const outgoing = createOutgoing();
  const metrics = createMetrics();
  const alerts: PaymentAlert[] = [];
  const troubles: string[] = [];
  const calls = { create: 0, read: 0 };
  let url = "";
  const real = createYooKassa({
    outgoing,
    name: "sandbox",
    sandbox: true,
    baseUrl: `${options.sandboxUrl}/payments`,
    shopId: options.shopId ?? "shop",
    secretKey: "very-secret-key-of-the-shop",
    timeoutsMs: { connect: 2_000, firstByte: 1_500, idle: 1_500 },
  });
  const counted: PaymentProvider = {
    ...real,
    createPayment(wish, signal) {
      calls.create += 1;
      return real.createPayment(wish, signal);
    },
    readPayment(id, signal) {
      calls.read += 1;
      return real.readPayment(id, signal);
    },
  };
  const provider = options.wrap?.(counted) ?? counted;
  const deps: PaymentDeps = {
    db,
    provider,
    receipts: createReceiptRule({ clock: systemClock, list: () => options.receipts?.() ?? [] }),
    returnUrl: (paymentId) => `${options.shopUrl ?? url}/panel/billing?topUp=${paymentId}`,
    onAlert: (alert) => void alerts.push(alert),
    onTrouble: ({ call, reason }) => void troubles.push(`${call}: ${reason}`),
    onEnd: () => undefined,
    onRefundEnd: () => undefined,
    times: { ...TIMES, ...options.times },
  };
  const parts = {
    db,
    clock: systemClock,
    metrics,
    onError: (what: string, error: unknown) => void troubles.push(`${what}: ${String(error)}`),
  };
  const billing = openTopUps(parts, deps);
  const endpoint = await openPanelEndpoint([
    ...billingRoutes(billing.routeDeps),
    ...operatorPaymentRoutes({ db, topUps: billing.routeDeps }),
  ]);
  url = endpoint.url;
  const work = options.works === false ? null : workTopUps(parts, deps);
  return {
    db,
    endpoint,
    deps,
    alerts,
    troubles,
    calls,
    async close() {
      await work?.stop();
      await endpoint.close();
      await billing.close();
      await outgoing.close();
      metrics.close();
      await db.close();
    },
  };
}
