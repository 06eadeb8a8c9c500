/**
 * Guarantee: from nothing to a first answer it is four calls, with the browser that signed up logged
 * in by the mail's link and credit to try with on the balance; any other browser asks for the
 * password, and another one's sign-up of the same e-mail logs no browser in.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import type { ConfirmedEmail, Session } from "../../src/contract/panel/sessions.ts";
import {
  mailedToken,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  type PanelBrowser,
  type PanelGateway,
} from "../support/panel-session.ts";
import { startTollgate, type Started } from "../support/start-tollgate.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

const folder = mkdtempSync(join(tmpdir(), "first-answer-"));
let tollgate: Started;
let gateway: PanelGateway;
before(async () => {
  tollgate = await startTollgate(folder, {});
  gateway = { url: tollgate.url, env: { DATA_DIR: join(folder, "data") } };
  // By code, because where everybody may sign up a trial needs the robot check.
  const command = createTollgateCommand({ DATA_DIR: join(folder, "data") });
  await command.json(
    "settings",
    "set",
    "--sign-up",
    "domains",
    "--domains",
    "example.test",
    "--trial",
    "50",
  );
});
after(async () => {
  await tollgate.stop();
  rmSync(folder, { recursive: true, force: true });
});

const signUp = async (browser: PanelBrowser, email: string, password = PASSWORD): Promise<void> => {
  const body = { email, password, accountName: "x", language: "ru" };
  assert.equal((await browser.ask("POST", "sign-up", body)).status, 202);
};

test("four calls and one mail from nothing to a first answer", async (t) => {
  const startedAt = performance.now();
  let calls = 0;
  const counted = <T>(call: Promise<T>): Promise<T> => {
    calls++;
    return call;
  };
  const [browser, email] = [openPanelBrowser(gateway.url), newEmail()];
  await counted(signUp(browser, email));
  const token = await mailedToken(gateway, email);
  const confirmed = await counted(browser.ask("POST", "verify-email", { token }));
  assert.equal(confirmed.status, 200, confirmed.text);
  const { trial, session } = confirmed.json<ConfirmedEmail>();
  assert.deepEqual([trial, session?.member.email, session?.member.stage], ["50", email, "full"]);
  const made = await counted(browser.ask("POST", "keys", { name: "default" }));
  const { secret } = made.json<PanelKeyMade>();
  const answer = await counted(
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
      body: JSON.stringify({
        model: "sandbox-small",
        max_tokens: 20,
        messages: [{ role: "user", content: "Hello" }],
      }),
    }),
  );
  assert.equal(answer.status, 200, await answer.text());
  assert.equal(calls, 4);
  t.diagnostic(`${calls} calls, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
});

test("a link that is opened elsewhere confirms and logs no browser in there", async () => {
  const [browser, email] = [openPanelBrowser(gateway.url), newEmail()];
  await signUp(browser, email);
  const scanner = openPanelBrowser(gateway.url);
  const token = await mailedToken(gateway, email);
  const answer = await scanner.ask("POST", "verify-email", { token });
  assert.deepEqual(answer.json(), { email, trial: "50", session: null });
  assert.deepEqual([scanner.cookie, answer.headers.getSetCookie()], [null, []]);
  assert.equal((await browser.ask("GET", "session")).status, 401);
  const session = await scanner.ask("POST", "log-in", { email, password: PASSWORD });
  assert.equal(session.json<Session>().member.email, email);
});

test("what a browser keeps of its sign-up is worth nothing once another sign-up took its place, nor for another e-mail", async () => {
  const [ours, email] = [openPanelBrowser(gateway.url), newEmail()];
  await signUp(ours, email);
  // A stranger signs up with the same e-mail and a password of its own; its owner opens the link.
  const stranger = openPanelBrowser(gateway.url);
  await signUp(stranger, email, "a password of the stranger's");
  const token = await mailedToken(gateway, email, 2);
  const opened = await ours.ask("POST", "verify-email", { token });
  assert.equal(opened.json<ConfirmedEmail>().session, null);

  const [first, second] = [newEmail(), newEmail()];
  const browser = openPanelBrowser(gateway.url);
  await signUp(browser, first);
  const kept = browser.signUp;
  await signUp(openPanelBrowser(gateway.url), second);
  browser.signUp = kept;
  const other = await browser.ask("POST", "verify-email", {
    token: await mailedToken(gateway, second),
  });
  assert.deepEqual([other.status, other.json<ConfirmedEmail>().session], [200, null]);
  // An e-mail that is known here gets the same as any other.
  const known = openPanelBrowser(gateway.url);
  await signUp(known, second);
  assert.match(known.signUp ?? "", /^tollgate_sign_up=[\w-]{43}\.[\w-]{43}$/);
});
