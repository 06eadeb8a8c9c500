/**
 * The panel in a real browser over a real gateway that sells the sandbox, for the pages of the
 * playground, tasks and files.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import type { Overview } from "../../src/contract/panel/overview.ts";
import type { PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { testDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway-process.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelTab,
  type PanelView,
} from "../support/panel-browser.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";

export interface PlaygroundMember extends PanelPerson {
  /** Of its one key. */
  readonly keyHash: string;
  readonly secret: string;
  /** Decimal roubles. */
  money(): Promise<{ readonly balance: string; readonly held: string }>;
}

export interface PlaygroundScene extends AsyncDisposable {
  readonly url: string;
  /** The owner of an account with money and one key. */
  newMember(roubles?: string): Promise<PlaygroundMember>;
  openTab(member: PanelPerson, view?: PanelView): Promise<PanelTab>;
}

const CATALOGUE = join(import.meta.dirname, "../../catalogue.yaml");

export async function openPlaygroundScene(): Promise<PlaygroundScene> {
  buildPanel();
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), "playground-scene-"));
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    media: { queueMs: 50, runMs: 100 },
  });
  const gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: await readFile(CATALOGUE, "utf8"),
    env: {
      SESSION_SECRET: "s".repeat(40),
      SANDBOX_URL: sandbox.url,
      SANDBOX_API_KEY: "key-of-the-operator",
      // Everybody of this scene lives on loopback.
      FETCH_ALLOW: "127.0.0.0/8",
      STORAGE_URL: `file:${join(folder, "files")}`,
    },
  });
  const scene = await openPanelBrowserScene(gateway);
  return {
    url: gateway.url,
    async newMember(roubles = "1000000") {
      const person = await signUpAtPanel(gateway);
      const amountNano = parseRoubles(roubles);
      assert.ok(amountNano !== null);
      await topUp(database.db, { accountId: person.accountId, amountNano, reference: null });
      const made = await person.ask("POST", "keys", { name: "Мой ключ" });
      assert.equal(made.status, 201, made.text);
      const { key, secret } = made.json<PanelKeyMade>();
      return Object.assign(person, {
        keyHash: key.hash,
        secret,
        async money() {
          const { balance, held } = (await person.ask("GET", "overview")).json<Overview>();
          return { balance, held };
        },
      });
    },
    openTab: (member, view) => scene.openTab(member, view),
    async [Symbol.asyncDispose]() {
      await scene.close();
      await gateway.stop();
      await sandbox.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
