/**
 * Protects (hazards §218), in a real Chromium: a page elsewhere, same site or not, acts for no
 * member though the cookie may be sent.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";

let database: TestDatabase;
let gateway: Gateway;
let browser: Browser;
let evil: Server;
let witness: { readonly url: string; readonly cookies: string[] };
let witnessServer: Server;
before(async () => {
  database = await testDatabase();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: PANEL_CATALOGUE,
    env: { NOBODY_KEY: "none" },
  });
  browser = await openBrowser();
  evil = createServer(
    (_request, response) =>
      void response
        .setHeader("content-type", "text/html")
        .end("<!doctype html><title>evil</title>"),
  );
  await once(evil.listen(0, "127.0.0.1"), "listening");
  const cookies: string[] = [];
  witnessServer = createServer((request, response) => {
    if (request.method === "POST") cookies.push(request.headers.cookie ?? "");
    response.end();
  });
  await once(witnessServer.listen(0, "127.0.0.1"), "listening");
  witness = { url: `http://127.0.0.1:${(witnessServer.address() as AddressInfo).port}/`, cookies };
});
after(async () => {
  await browser.close();
  for (const server of [evil, witnessServer]) {
    server.closeAllConnections();
    server.close();
  }
  await gateway.stop();
  await database.drop();
});

/** What the attacker wants: the victim out of all its sessions, or itself in the account. */
const WISHES = [
  ["log-out", {}],
  ["members/invite", { email: "evil@example.test", role: "owner" }],
  ["profile", { name: "evil" }],
  ["totp/begin", {}],
] as const;

/**
 * Of one attack, those that a browser sends without asking for leave first: forms, three of the
 * fetches, the beacon.
 */
const SENT_UNASKED = 7;

/**
 * A script of the page: each way in which it can send something to another origin. It waits for no
 * answer that it may not see.
 */
function attack(target: string, body: string): string {
  return `(async () => {
    const [target, body] = ${JSON.stringify([target, body])};
    const submit = (enctype, fields) => {
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.name = "frame" + Math.random();
      const form = document.body.appendChild(document.createElement("form"));
      Object.assign(form, { action: target, method: "POST", enctype, target: frame.name });
      for (const [name, value] of Object.entries(fields)) Object.assign(form.appendChild(document.createElement("input")), { name, value });
      form.submit();
    };
    submit("application/x-www-form-urlencoded", JSON.parse(body));
    submit("multipart/form-data", JSON.parse(body));
    // {"name":"evil","x":"=…"}: JSON, as the body of a form.
    submit("text/plain", { [body.slice(0, -1) + (body === "{}" ? "" : ",") + '"x":"']: '"}' });
    for (const type of ["text/plain", "application/json"]) {
      for (const mode of ["no-cors", "cors"]) {
        await fetch(target, { method: "POST", mode, credentials: "include", headers: { "content-type": type }, body }).catch(() => null);
      }
    }
    navigator.sendBeacon(target, new Blob([body], { type: "text/plain" }));
    await fetch(target, { method: "DELETE", credentials: "include" }).catch(() => null);
    new Image().src = target;
  })()`;
}

/** What could have changed. */
async function stateOf(person: PanelPerson): Promise<unknown> {
  const rows = await database.db.query(
    `SELECT m.name, (SELECT count(*)::int FROM accounts.sessions s WHERE s.member_id = m.member_id) AS sessions,
       (SELECT count(*)::int FROM accounts.invitations) AS invitations, (SELECT count(*)::int FROM accounts.totp) AS secrets
     FROM accounts.members m WHERE member_id = $1`,
    [person.memberId],
  );
  return rows[0];
}

test("forms, fetches, beacons and images of other origins change nothing; the same words from our own page do", async () => {
  const person = await signUpAtPanel(gateway);
  const [name = "", value = ""] = person.cookie?.split("=") ?? [];
  const { port } = evil.address() as AddressInfo;
  const context = await browser.newContext();
  await context.addCookies([{ name, value, url: gateway.url, httpOnly: true, sameSite: "Lax" }]);
  const before = await stateOf(person);
  assert.deepEqual(before, { name: null, sessions: 1, invitations: 0, secrets: 0 });
  // 127.0.0.1 with another port is the same site, so the cookie goes along; localhost is another
  // one.
  for (const host of ["127.0.0.1", "localhost"]) {
    const page = await context.newPage();
    await page.goto(`http://${host}:${port}/`);
    for (const [path, body] of WISHES) {
      const route = `/panel/api/${path}`;
      const refused = (): number =>
        gateway.log().filter((line) => line["route"] === route && line["code"] === "origin_refused")
          .length;
      const sofar = refused();
      await page.evaluate(attack(`${gateway.url}${route}`, JSON.stringify(body)));
      await until(
        `${route} is attacked from ${host}`,
        async () => refused() >= sofar + SENT_UNASKED,
      );
    }
    assert.deepEqual(await stateOf(person), before, host);
    if (host === "127.0.0.1") await page.evaluate(attack(witness.url, "{}"));
    await page.close();
  }
  // The refusals were ours: sent elsewhere on this host, the same attack brought the cookie along.
  await until("the witness is attacked", async () => witness.cookies.length >= SENT_UNASKED);
  assert.ok(witness.cookies.some((cookie) => cookie.includes(value)));
  const own = await context.newPage();
  await own.goto(`${gateway.url}/healthz`);
  for (const [path, body] of WISHES.slice(1)) {
    const sent = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const status = Number(
      await own.evaluate(
        `fetch("/panel/api/${path}", ${JSON.stringify(sent)}).then((answer) => answer.status)`,
      ),
    );
    assert.ok(status < 300, `${path} ${status}`);
  }
  assert.deepEqual(await stateOf(person), {
    name: "evil",
    sessions: 1,
    invitations: 1,
    secrets: 1,
  });
  await context.close();
});
