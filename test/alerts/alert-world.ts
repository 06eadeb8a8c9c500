/**
 * Alerts as one process of the gateway runs them, over a real database: their routes, their work,
 * and money that moves.
 */
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import { insertMember, type NewMember } from "../../src/accounts/store.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { alertsRoutes } from "../../src/http/panel/alerts-routes.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { parseRoubles, ZERO_NANO } from "../../src/kernel/money.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import { readConfig } from "../../src/config/config.ts";
import { openAlerts, workAlerts } from "../../src/main/panel/open-alerts.ts";
import { openTelegram, workTelegram } from "../../src/main/panel/open-telegram.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import { createSafeFetch } from "../../src/net/safe-fetch.ts";
import { openPanelEndpoint, panelMember, type PanelEndpoint } from "../support/panel-endpoint.ts";

export const SESSION_SECRET = "a secret of at least thirty-two characters";

export interface AlertWorld {
  readonly db: Db;
  readonly endpoint: PanelEndpoint;
  readonly troubles: readonly string[];
  close(): Promise<void>;
}

export const BOT_TOKEN = "7700112233:a-token-of-the-tests-0123456789-abcdef";

/** `works`: false takes requests only. `telegramUrl`: where a bot is served; absent: there is none. */
export async function openAlertWorld(options: {
  readonly databaseUrl: string;
  readonly works?: boolean;
  readonly telegramUrl?: string;
}): Promise<AlertWorld> {
  const { telegramUrl } = options;
  const bot =
    telegramUrl === undefined
      ? {}
      : { TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_API_URL: telegramUrl };
  const reading = readConfig({ FETCH_ALLOW: "127.0.0.1", ...bot }, "/", "/");
  if (!reading.ok) throw new Error("the configuration is good");
  const db = openDatabase({
    url: options.databaseUrl,
    poolSize: 10,
    applicationName: "alerts test",
    onError: () => undefined,
  });
  const metrics = createMetrics();
  const safeFetch = createSafeFetch({ allow: reading.config.fetchAllow });
  const troubles: string[] = [];
  const outgoing = createOutgoing();
  const parts = {
    outgoing,
    ownerId: newUuid(),
    config: reading.config,
    db,
    clock: systemClock,
    metrics,
    sessionSecret: SESSION_SECRET,
    baseUrl: () => "https://gateway.example",
    safeFetch,
    signing: {
      db,
      seal: createSeal(SESSION_SECRET),
      onReplaced: () => void troubles.push("a secret did not open"),
    },
    onError: (what: string, error: unknown) => void troubles.push(`${what}: ${String(error)}`),
  };
  const endpoint = await openPanelEndpoint(
    alertsRoutes({ ...openAlerts(parts), telegram: openTelegram(parts) }),
  );
  const work = options.works === false ? null : workAlerts(parts, { lookMs: 20 });
  const talk =
    options.works === false || telegramUrl === undefined
      ? null
      : workTelegram(parts, { updatesMs: 20, sendMs: 20, waitSeconds: 1 });
  return {
    db,
    endpoint,
    troubles,
    async close() {
      await work?.stop();
      await talk?.stop();
      await endpoint.close();
      await safeFetch.close();
      await outgoing.close();
      metrics.close();
      await db.close();
    },
  };
}

/** A member who may be written to; at the endpoint always as an owner. */
export async function addMember(
  db: Db,
  accountId: Uuid,
  about: Partial<Pick<NewMember, "role" | "language" | "verified">> = {},
): Promise<MemberCaller> {
  const memberId = newUuid();
  const email = `${memberId}@example.test`;
  const member = { role: "owner", language: "ru", verified: true, ...about } as const;
  await insertMember(db, {
    memberId,
    accountId,
    email,
    passwordHash: "$argon2id$x",
    mustChangePassword: false,
    operator: false,
    ...member,
  });
  return panelMember({ accountId, memberId, email, language: member.language });
}

/** A request that is held and charged, as the gateway does it. */
export async function charge(
  db: Db,
  accountId: Uuid,
  roubles: string,
  budgetId: Uuid | null = null,
): Promise<void> {
  const amountNano = parseRoubles(roubles) ?? ZERO_NANO;
  const holdId = newUuid();
  const verdict = await db.transaction(async (tx) => {
    const held = await holdIn(tx, {
      holdId,
      accountId,
      budgetId,
      groupId: null,
      fullNano: null,
      sliceNano: amountNano,
      minimumNano: amountNano,
      reference: `request:${holdId}`,
      priceVersion: 1,
      detail: "{}",
    });
    if (held.kind === "held")
      await settleIn(tx, { accountId, holdId, chargeNano: amountNano, lossNano: ZERO_NANO });
    return held;
  });
  if (verdict.kind !== "held") throw new Error(`not charged: ${verdict.kind}`);
}

/** Whether all that moved so far was looked at. */
export async function lookedAt(db: Db, accountId: Uuid): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1 FROM alerts.looks l JOIN ledger.accounts a USING (account_id)
     WHERE l.account_id = $1 AND l.credited_nano = a.credited_nano AND l.charged_nano = a.charged_nano`,
    [accountId],
  );
  return rows.length === 1;
}
