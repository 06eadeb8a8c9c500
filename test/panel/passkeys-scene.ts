/** Members with passkeys at two gateways of one installation, which is reached by a name. */
import assert from "node:assert/strict";
import type {
  AddedPasskey,
  PasskeyCreation,
  PasskeyList,
  PasskeyRequest,
} from "../../src/contract/panel/passkeys.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import {
  openPanelBrowser,
  PASSWORD,
  type BrowserAnswer,
  type PanelBrowser,
  type PanelPerson,
} from "../support/panel-session.ts";
import {
  createSoftwareAuthenticator,
  type Lies,
  type SoftwareAuthenticator,
} from "../support/software-authenticator.ts";

/** What browsers are shown; the gateways themselves listen on loopback. */
export const ORIGIN = "http://panel.localhost";

export interface PasskeysScene extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly gateways: readonly [Gateway, Gateway];
}

export async function openPasskeysScene(): Promise<PasskeysScene> {
  const database = await testDatabase();
  const env = { BASE_URL: ORIGIN, SESSION_SECRET: "s".repeat(40), NOBODY_KEY: "none" };
  const options = { databaseUrl: database.url, catalogue: PANEL_CATALOGUE, env };
  const gateways = [
    await startGateway(options),
    await startGateway({ ...options, roles: "api" }),
  ] as const;
  return {
    database,
    gateways,
    async [Symbol.asyncDispose]() {
      for (const gateway of gateways) await gateway.stop();
      await database.drop();
    },
  };
}

export async function begin(person: PanelPerson): Promise<PasskeyCreation> {
  const begun = await person.ask("POST", "passkeys/begin", { password: PASSWORD });
  assert.equal(begun.status, 200, begun.text);
  return begun.json<PasskeyCreation>();
}

/** What the gateway answers to a passkey of this authenticator, which is made now. */
export async function sendPasskey(
  person: PanelPerson,
  authenticator: SoftwareAuthenticator,
  { name = "my laptop", ...lies }: Lies & { readonly name?: string } = {},
): Promise<BrowserAnswer> {
  const credential = authenticator.create(await begin(person), lies);
  return person.ask("POST", "passkeys", { name, credential });
}

export interface Holder extends AddedPasskey {
  readonly authenticator: SoftwareAuthenticator;
}

/** Insists that it is added. */
export async function addPasskey(
  person: PanelPerson,
  options: Parameters<typeof createSoftwareAuthenticator>[1] = {},
): Promise<Holder> {
  const authenticator = createSoftwareAuthenticator(ORIGIN, options);
  const added = await sendPasskey(person, authenticator);
  assert.equal(added.status, 201, added.text);
  return { ...added.json<AddedPasskey>(), authenticator };
}

export async function beginLogIn(browser: PanelBrowser): Promise<PasskeyRequest> {
  const begun = await browser.ask("POST", "log-in/passkey/begin");
  assert.equal(begun.status, 200, begun.text);
  return begun.json<PasskeyRequest>();
}

export async function logInBy(
  authenticator: SoftwareAuthenticator,
  browser: PanelBrowser,
  lies: Lies = {},
): Promise<BrowserAnswer> {
  const credential = authenticator.sign(await beginLogIn(browser), lies);
  return browser.ask("POST", "log-in/passkey", { credential });
}

export const passkeysOf = async (person: PanelBrowser): Promise<PasskeyList["data"]> =>
  (await person.ask("GET", "passkeys")).json<PasskeyList>().data;

export const newBrowser = ({ url }: Pick<Gateway, "url">): PanelBrowser => openPanelBrowser(url);

export const refusalOf = ({ status, json }: BrowserAnswer): string => {
  const { code, reason } = json<{ error: { code: string; reason: string | null } }>().error;
  return `${status} ${code} ${reason ?? ""}`.trim();
};
