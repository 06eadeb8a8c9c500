/**
 * The panel in a real browser over a real gateway that sells the sandbox, with its first operator:
 * for the operators' pages.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import { testDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelBrowserScene,
} from "../support/panel-browser.ts";
import { logInAtPanel, openPanelBrowser, type PanelPerson } from "../support/panel-session.ts";
import type { Settings } from "../support/tollgate-environment.ts";
import { createTollgateCommand, type TollgateCommand } from "../support/tollgate-command.ts";

export const OPERATOR_EMAIL = "operator@example.test";
const OPERATOR_PASSWORD = "the operator's own long password";

export interface OperatorScene extends AsyncDisposable {
  readonly url: string;
  readonly tollgate: TollgateCommand;
  readonly gateway: Gateway;
  readonly browsers: PanelBrowserScene;
  /**
   * As it was printed when the operator's account was made; worth something until the operator sets
   * another.
   */
  readonly oneTimePassword: string;
  /** Another operator, who has a password already. */
  newOperator(email: string): Promise<PanelPerson>;
  /** The status with which the gateway answers a chat request of this key. */
  chat(secret: string, content?: string): Promise<number>;
}

const CATALOGUE = join(import.meta.dirname, "../../catalogue.yaml");

/** `more`: settings of the gateway besides. */
export async function openOperatorScene(more: Settings = {}): Promise<OperatorScene> {
  buildPanel();
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), "operator-scene-"));
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    media: { queueMs: 50, runMs: 600_000 },
  });
  const gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: await readFile(CATALOGUE, "utf8"),
    env: {
      SESSION_SECRET: "s".repeat(40),
      SANDBOX_URL: sandbox.url,
      SANDBOX_API_KEY: "key-of-the-operator",
      FETCH_ALLOW: "127.0.0.0/8",
      STORAGE_URL: `file:${join(folder, "files")}`,
      ...more,
    },
  });
  const tollgate = createTollgateCommand(gateway.env);
  const browsers = await openPanelBrowserScene(gateway);

  async function makeOperator(email: string): Promise<string> {
    const made = await tollgate.json(
      "accounts",
      "create",
      "--name",
      "The house",
      "--email",
      email,
      "--operator",
    );
    return (made as { readonly oneTimePassword: string }).oneTimePassword;
  }

  return {
    url: gateway.url,
    gateway,
    tollgate,
    browsers,
    oneTimePassword: await makeOperator(OPERATOR_EMAIL),
    async newOperator(email) {
      const current = await makeOperator(email);
      const browser = openPanelBrowser(gateway.url);
      await browser.ask("POST", "log-in", { email, password: current });
      await browser.ask("POST", "password", { current, next: OPERATOR_PASSWORD });
      return logInAtPanel(browser, email, OPERATOR_PASSWORD);
    },
    async chat(secret, content = "Hello") {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "sandbox-large",
          messages: [{ role: "user", content }],
          max_tokens: 50,
        }),
      });
      await answer.arrayBuffer();
      return answer.status;
    },
    async [Symbol.asyncDispose]() {
      await browsers.close();
      await gateway.stop();
      await sandbox.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
