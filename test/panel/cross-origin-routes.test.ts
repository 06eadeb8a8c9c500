/**
 * Protects (hazards §218), in a real Chromium: whatever route of the panel a page of another origin
 * aims at, with all that browsers send unasked, nothing changes.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import type { Gateway } from "../support/gateway-process.ts";
import {
  nameOf,
  ownedBy,
  pathWith,
  routeTable,
  thingOf,
  type Thing,
} from "../support/panel-routes.ts";
import {
  digestDatabase,
  openPanelWorld,
  TASK,
  TOUCHED_BY_LOOKING,
  type PanelAccount,
  type PanelWorld,
} from "../support/panel-things.ts";
import { openPanelBrowser, PASSWORD } from "../support/panel-session.ts";
import { until } from "../support/until.ts";

const CHANGING = routeTable().filter(
  (route) =>
    route.method !== "GET" &&
    (route.access === "member" || route.path.startsWith("/panel/api/")) &&
    route.path !== "/panel/api/sign-up",
);

let world: PanelWorld;
let victim: PanelAccount;
let quiet: Gateway;
let browser: Browser;
let evil: Server;
const made = new Map<Thing, string>();
before(async () => {
  world = await openPanelWorld();
  victim = await world.newAccount();
  for (const thing of ownedBy(CHANGING)) made.set(thing, await world.make(thing, victim));
  // The member who may do most is the victim worth most.
  await world.database.db.query(
    "UPDATE accounts.members SET operator = true WHERE member_id = $1",
    [victim.owner.memberId],
  );
  quiet = await world.startQuiet();
  await world.gateway.stop();
  browser = await openBrowser();
  evil = createServer(
    (_, response) =>
      void response
        .setHeader("content-type", "text/html")
        .end("<!doctype html><title>evil</title>"),
  );
  await once(evil.listen(0, "127.0.0.1"), "listening");
});
after(async () => {
  await browser.close();
  evil.closeAllConnections();
  evil.close();
  await world[Symbol.asyncDispose]();
});

/** What would do harm, were it taken. */
const BODIES: Readonly<Record<string, object>> = {
  "POST /panel/api/password": { current: PASSWORD, next: "a password of the attacker" },
  "POST /panel/api/profile": { name: "evil" },
  "POST /panel/api/members/invite": { email: "evil@example.test", role: "owner" },
  "POST /panel/api/members/{id}/role": { role: "owner" },
  "POST /panel/api/second-factor": { required: true },
  "POST /panel/api/members/{id}/group": { group: null },
  "POST /panel/api/keys": { name: "evil" },
  "POST /panel/api/keys/{hash}": { name: "evil" },
  "POST /panel/api/keys/{hash}/roll": { overlapHours: 0 },
  "POST /panel/api/top-ups": { amount: "500", method: "bank_card" },
  "POST /panel/api/alerts": {
    kind: "spend_day",
    threshold: "1",
    webhookUrl: "https://evil.example/",
  },
  "POST /panel/api/alerts/{id}": { enabled: false },
  "POST /panel/api/operator/accounts/{id}/credit": {
    amount: "1000000",
    reason: "evil",
    ref: "evil",
  },
  "POST /panel/api/operator/accounts/{id}/adjust": { amount: "1000000", reason: "evil" },
  "POST /panel/api/operator/accounts/{id}/block": { reason: "evil" },
  "POST /panel/api/operator/payments/{id}/refunds": {
    amount: "500",
    left: "500",
    reason: "evil",
    ref: "evil",
  },
  "POST /panel/api/playground/tasks/{model}": TASK,
  "POST /panel/api/playground/chat/completions": {
    model: "sandbox-small",
    messages: [{ role: "user", content: "evil" }],
  },
};

/**
 * Sends it in each way that needs no leave of ours: forms in a frame and in a window of their own,
 * fetches, the beacon, an image.
 */
const ATTACK = `(target, json) => {
  const submit = (enctype, fields, into) => {
    const form = document.body.appendChild(document.createElement("form"));
    Object.assign(form, { action: target, method: "POST", enctype, target: into });
    for (const [name, value] of Object.entries(fields)) Object.assign(form.appendChild(document.createElement("input")), { name, value });
    form.submit();
  };
  const frame = () => {
    const made = document.body.appendChild(document.createElement("iframe"));
    return (made.name = "frame" + Math.random());
  };
  const fields = Object.fromEntries(Object.entries(JSON.parse(json)).map(([name, value]) => [name, String(value)]));
  submit("application/x-www-form-urlencoded", fields, frame());
  submit("multipart/form-data", fields, frame());
  submit("text/plain", { [json.slice(0, -1) + (json === "{}" ? "" : ",") + '"x":"']: '"}' }, frame());
  const quietly = (init) => fetch(target, { credentials: "include", ...init }).catch(() => null);
  const upload = new FormData();
  upload.set("file", new File(["evil"], "evil.txt", { type: "text/plain" }));
  navigator.sendBeacon(target, new Blob([json], { type: "text/plain" }));
  new Image().src = target;
  return Promise.all([
    quietly({ method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body: json }),
    quietly({ method: "POST", mode: "no-cors", headers: { "content-type": "application/json" }, body: json }),
    quietly({ method: "POST", mode: "cors", headers: { "content-type": "text/plain" }, body: json }),
    quietly({ method: "POST", mode: "cors", headers: { "content-type": "application/json" }, body: json }),
    quietly({ method: "POST", mode: "no-cors", body: upload }),
    quietly({ method: "POST", mode: "no-cors", body: "" }),
    quietly({ method: "DELETE", mode: "cors" }),
  ]).then(() => undefined);
}`;
/**
 * Three forms, three simple fetches with a body, one without, the beacon, and the cors fetch of
 * plain text: they arrive, cookie and all.
 */
const SENT_UNASKED = 9;

test(
  "no route of the panel is moved by a page elsewhere, whatever it sends and whichever member looks",
  { timeout: 400_000 },
  async () => {
    const [name = "", value = ""] = (victim.owner.cookie ?? "").split("=");
    const { port } = evil.address() as AddressInfo;
    const context = await browser.newContext();
    await context.addCookies([{ name, value, url: quiet.url, httpOnly: true, sameSite: "Lax" }]);
    const before = await digestDatabase(world.database, TOUCHED_BY_LOOKING);
    assert.ok(CHANGING.length >= 55);
    // Another port of the same host is the same site, so that the cookie goes along.
    for (const route of CHANGING) {
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${port}/`);
      const thing = thingOf(route);
      const id =
        thing === null ? "" : "owned" in thing ? (made.get(thing.owned) ?? "") : thing.shared;
      const target = quiet.url + pathWith(route.path, id);
      await page.evaluate(
        `(${ATTACK})(${JSON.stringify(target)}, ${JSON.stringify(JSON.stringify(BODIES[nameOf(route)] ?? {}))})`,
      );
      const answers = () =>
        quiet
          .log()
          .filter(
            (line) =>
              line["route"] === route.path && ["POST", "DELETE"].includes(String(line["method"])),
          );
      const least = route.method === "POST" ? SENT_UNASKED : 0;
      await until(`${nameOf(route)} is attacked`, async () => answers().length >= least);
      const taken = answers().filter((line) => Number(line["status"]) < 400);
      assert.deepEqual(taken, [], nameOf(route));
      if (least > 0) {
        const refused = answers().filter(
          (line) => line["status"] === 403 && line["code"] === "origin_refused",
        );
        assert.ok(
          refused.length >= least,
          `${nameOf(route)} was refused ${refused.length} times: ${JSON.stringify(answers().slice(0, 3))}`,
        );
      }
      await page.close();
    }
    assert.deepEqual([...(await digestDatabase(world.database, TOUCHED_BY_LOOKING))], [...before]);
    await context.close();
  },
);

test(
  "a form in a window of its own, which takes the cookie from anywhere, moves nothing either",
  { timeout: 120_000 },
  async () => {
    const [name = "", value = ""] = (victim.owner.cookie ?? "").split("=");
    const { port } = evil.address() as AddressInfo;
    const before = await digestDatabase(world.database, TOUCHED_BY_LOOKING);
    for (const host of ["127.0.0.1", "localhost"]) {
      const context = await browser.newContext();
      await context.addCookies([{ name, value, url: quiet.url, httpOnly: true, sameSite: "Lax" }]);
      for (const path of ["log-out", "keys/freeze-all", "totp/begin", "alerts/webhook-secret"]) {
        const page = await context.newPage();
        await page.goto(`http://${host}:${port}/`);
        const route = `/panel/api/${path}`;
        const refused = (): number =>
          quiet.log().filter((line) => line["route"] === route && line["code"] === "origin_refused")
            .length;
        const sofar = refused();
        await page.evaluate(`(() => {
        window.open("about:blank", "another");
        const form = document.body.appendChild(document.createElement("form"));
        Object.assign(form, { action: ${JSON.stringify(quiet.url + route)}, method: "POST", target: "another" });
        form.submit();
      })()`);
        await until(`${path} is aimed at from ${host}`, async () => refused() > sofar);
        await page.close();
      }
      await context.close();
    }
    assert.deepEqual([...(await digestDatabase(world.database, TOUCHED_BY_LOOKING))], [...before]);
  },
);

test("the session's cookie is for no script, no other site and, over TLS, no other host and no plain line", async () => {
  const origin = "https://panel.example";
  const safe = await world.startQuiet({ BASE_URL: origin });
  for (const [gateway, own, form] of [
    [
      safe,
      origin,
      /^__Host-tollgate=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    ],
    [
      quiet,
      quiet.url,
      /^tollgate_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    ],
  ] as const) {
    const person = openPanelBrowser(gateway.url);
    const answer = await person.ask(
      "POST",
      "log-in",
      { email: victim.manager.email, password: PASSWORD },
      { origin: own },
    );
    assert.equal(answer.status, 200, answer.text);
    const cookies = answer.headers.getSetCookie();
    assert.ok(
      cookies.some((line) => form.test(line)),
      cookies.join("\n"),
    );
    for (const line of cookies) {
      assert.match(line, /; HttpOnly; SameSite=Lax/);
      assert.doesNotMatch(line, /domain=/i);
      assert.equal(line.includes("; Secure"), own === origin);
    }
    assert.equal((await person.ask("GET", "session")).status, 200);
    const elsewhere = await person.ask(
      "POST",
      "log-out",
      {},
      { origin: "https://panel.example.evil.example" },
    );
    assert.equal(elsewhere.status, 403);
  }
});
