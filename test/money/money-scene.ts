/**
 * The scene of the money tests: one database, one scripted upstream, any number of gateway
 * processes, customers and the books.
 */
import type { Db } from "../../src/db/database.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { formatRoubles, NANO_PER_ROUBLE } from "../../src/kernel/money.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { testDatabase } from "../support/database.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { startGateway } from "../support/gateway-process.ts";
import type { Handler, ScriptedUpstream } from "../support/scripted-upstream.ts";
import { startScriptedUpstream } from "../support/scripted-upstream.ts";
import type { Settings } from "../support/tollgate-environment.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { moneyCatalogue } from "./money-catalogue.ts";

export interface MoneyCustomer {
  readonly accountId: Uuid;
  /** The API key. */
  readonly secret: string;
}

export interface MoneyGatewayOptions {
  readonly env?: Settings;
  /** Another way to the scene's database than the direct one. */
  readonly databaseUrl?: string;
  /** Settings of its database sessions, such as `lock_timeout`. */
  readonly sessions?: Readonly<Record<string, string>>;
}

export interface MoneyScene extends AsyncDisposable {
  readonly upstream: ScriptedUpstream;
  readonly url: string;
  readonly db: Db;
  /** `name` is what its database connections are called. */
  gateway(name: string, options?: MoneyGatewayOptions): Promise<Gateway>;
  /** Amounts are nano-roubles; `limitNano` is the key's own, for all time. */
  customer(creditNano: bigint, limitNano?: bigint): Promise<MoneyCustomer>;
  /**
   * Insists that `tollgate ledger verify` finds nothing wrong, and that the figures of receipts are
   * those of their details.
   */
  verifyLedger(): Promise<void>;
}

/** `script` answers every request of every gateway. */
export async function openMoneyScene(script: Handler): Promise<MoneyScene> {
  const database = await testDatabase();
  const upstream = await startScriptedUpstream(script);
  const gateways: Gateway[] = [];
  const { db } = database;
  return {
    upstream,
    db,
    url: database.url,
    async gateway(name, { env = {}, databaseUrl = database.url, sessions = {} } = {}) {
      const url = new URL(databaseUrl);
      // What an address says counts more than what the program says.
      for (const [setting, value] of Object.entries({ application_name: name, ...sessions }))
        url.searchParams.set(setting, value);
      const started = await startGateway({
        databaseUrl: url.toString(),
        catalogue: moneyCatalogue(upstream.url),
        env: { SCRIPTED_API_KEY: "scripted", ...env },
      });
      gateways.push(started);
      return started;
    },
    async customer(creditNano, limitNano) {
      const accountId = await newAccount(db, formatRoubles(creditNano as Nano));
      const limit =
        limitNano === undefined
          ? null
          : { amountNano: limitNano as Nano, period: "total" as const };
      const { secret } = await newKey(db, accountId, { limit });
      return { accountId, secret };
    },
    async verifyLedger() {
      await createTollgateCommand({ DATABASE_URL: database.url }).verifyLedger();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await upstream.close();
      await database.drop();
    },
  };
}

export function roubles(amount: number): bigint {
  return (BigInt(Math.round(amount * 1_000_000)) * NANO_PER_ROUBLE) / 1_000_000n;
}
