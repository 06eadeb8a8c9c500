/**
 * The panel in a real browser over `npm start` with its sandbox, where one can pay: for the pages
 * of money and of alerts.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Billing } from "../../src/contract/panel/top-up.ts";
import type { LedgerPage } from "../../src/contract/panel/ledger-entry.ts";
import { testDatabase } from "../support/database.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelTab,
  type PanelView,
} from "../support/panel-browser.ts";
import { signUpAtPanel, type PanelGateway, type PanelPerson } from "../support/panel-session.ts";
import { startTollgate } from "../support/start-tollgate.ts";
import type { Settings } from "../support/tollgate-environment.ts";

export interface MoneyPagesScene extends AsyncDisposable {
  readonly gateway: PanelGateway;
  /** What another gateway needs to serve the same people. */
  readonly shared: { readonly databaseUrl: string; readonly env: Settings };
  /** The owner of a new account without money. */
  newMember(accountName?: string): Promise<PanelPerson>;
  openTab(member: PanelPerson, view?: PanelView): Promise<PanelTab>;
}

export async function openMoneyPagesScene(): Promise<MoneyPagesScene> {
  buildPanel();
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), "money-pages-"));
  // Webhooks of these tests go to loopback.
  const env = { SESSION_SECRET: "s".repeat(40), FETCH_ALLOW: "127.0.0.0/8" };
  const tollgate = await startTollgate(folder, {
    ...env,
    DATABASE_URL: database.url,
    SHUTDOWN_GRACE_SECONDS: "0",
  });
  const gateway = { url: tollgate.url, env: { DATA_DIR: join(folder, "data") } };
  const scene = await openPanelBrowserScene(gateway);
  return {
    gateway,
    shared: { databaseUrl: database.url, env },
    newMember: (accountName) => signUpAtPanel(gateway, accountName),
    openTab: (member, view) => scene.openTab(member, view),
    async [Symbol.asyncDispose]() {
      await scene.close();
      assert.equal(await tollgate.stop(), 0);
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function balanceOf(member: PanelPerson): Promise<string> {
  return (await member.ask("GET", "billing")).json<Billing>().balance;
}

/** Its money, newest first. */
export async function ledgerOf(member: PanelPerson): Promise<LedgerPage["data"]> {
  return (await member.ask("GET", "ledger")).json<LedgerPage>().data;
}
