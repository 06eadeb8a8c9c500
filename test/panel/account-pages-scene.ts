/**
 * The panel in a real browser over a real gateway that sells the sandbox, beside its database: for
 * the pages of money, keys, requests and models.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import type { MemberRole } from "../../src/contract/enums/member-role.ts";
import type { PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { joinAccount } from "../support/join-account.ts";
import { startGateway } from "../support/gateway-process.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelTab,
  type PanelView,
} from "../support/panel-browser.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";

export interface ChatAnswer {
  readonly status: number;
  /** Of the header: `req_…`; empty where there is none. */
  readonly requestId: string;
}

export interface AccountPagesScene extends AsyncDisposable {
  readonly url: string;
  readonly database: TestDatabase;
  newMember(roubles?: string): Promise<PanelPerson>;
  /** Joins the account of an owner. */
  join(owner: PanelPerson, role: MemberRole): Promise<PanelPerson>;
  /** Its secret. */
  newKey(person: PanelPerson, name: string): Promise<PanelKeyMade>;
  /** A short chat by the API. */
  chat(secret: string, model?: string): Promise<ChatAnswer>;
  openTab(person: PanelPerson, view?: PanelView): Promise<PanelTab>;
}

const CATALOGUE = join(import.meta.dirname, "../../catalogue.yaml");

export async function openAccountPagesScene(): Promise<AccountPagesScene> {
  buildPanel();
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), "account-pages-"));
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    media: { queueMs: 20, runMs: 50 },
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
    database,
    async newMember(roubles = "1000") {
      const person = await signUpAtPanel(gateway);
      const amountNano = parseRoubles(roubles);
      assert.ok(amountNano !== null);
      if (amountNano > 0n)
        await topUp(database.db, { accountId: person.accountId, amountNano, reference: null });
      return person;
    },
    join: (owner, role) => joinAccount(gateway, owner, role),
    async newKey(person, name) {
      const made = await person.ask("POST", "keys", { name });
      assert.equal(made.status, 201, made.text);
      return made.json<PanelKeyMade>();
    },
    async chat(secret, model = "sandbox-large") {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello there" }] }),
      });
      await response.arrayBuffer();
      return { status: response.status, requestId: response.headers.get("x-request-id") ?? "" };
    },
    openTab: (person, view) => scene.openTab(person, view),
    async [Symbol.asyncDispose]() {
      await scene.close();
      await gateway.stop();
      await sandbox.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
