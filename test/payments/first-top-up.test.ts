/**
 * Protects: at a first start an operator tops up in the sandbox as customers will; in production no
 * account is credited without money.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { AlertList } from "../../src/contract/panel/alert.ts";
import type { Billing, TopUp, TopUpBegun } from "../../src/contract/panel/top-up.ts";
import { startTollgate, type Started } from "../support/start-tollgate.ts";
import { until } from "../support/until.ts";
import { payOnPage } from "./pay-on-page.ts";

const folder = mkdtempSync(join(tmpdir(), "first-top-up-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const PASSWORD = "a long sentence of one's own";

interface Visitor {
  get<T>(path: string): Promise<T>;
  post(path: string, body: object): Promise<Response>;
}

/** A browser's part: it keeps the cookie, and says whose page it is on. */
function visit({ url }: Started): Visitor {
  let cookie = "";
  async function ask(path: string, init: RequestInit): Promise<Response> {
    const headers = {
      origin: url,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      cookie,
    };
    const answer = await fetch(`${url}/panel/api/${path}`, { ...init, headers });
    cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
    return answer;
  }
  return {
    async get<T>(path: string) {
      const answer = await ask(path, {});
      assert.equal(answer.status, 200, path);
      return (await answer.json()) as T;
    },
    post: (path, body) => ask(path, { method: "POST", body: JSON.stringify(body) }),
  };
}

test("the first operator logs in, pays on the sandbox's page and is credited; in production there is no such provider", async () => {
  const first = await startTollgate(folder, {});
  const [, email = "", oneTime = ""] =
    /log in as (\S+), one-time password (\S+?)[;)\s]/.exec(first.text) ?? [];
  const visitor = visit(first);
  assert.equal((await visitor.post("log-in", { email, password: oneTime })).status, 200);
  const changed = await visitor.post("password", { current: oneTime, next: PASSWORD });
  assert.equal(changed.status, 200, await changed.text());
  const before = await visitor.get<Billing>("billing");
  assert.deepEqual(
    [before.available, before.sandbox, before.methods.length > 0],
    [true, true, true],
  );
  const answer = await visitor.post("top-ups", { amount: "750.30", method: "bank_card" });
  assert.equal(answer.status, 201);
  const { topUpId, redirectUrl } = (await answer.json()) as TopUpBegun;
  assert.equal(await payOnPage(redirectUrl, "pay"), `${first.url}/panel/billing?topUp=${topUpId}`);
  await until(
    "it is credited",
    async () => (await visitor.get<TopUp>(`top-ups/${topUpId}`)).state === "succeeded",
  );
  const later = await visitor.get<Billing>("billing");
  assert.deepEqual([before.balance, later.balance], ["1000", "1750.3"]);
  await until(
    "its alerts are there",
    async () => (await visitor.get<AlertList>("alerts")).data.length === 2,
  );
  assert.equal(await first.stop(), 0);

  const production = await startTollgate(folder, {
    NODE_ENV: "production",
    SESSION_SECRET: "x".repeat(40),
  });
  const again = visit(production);
  assert.equal((await again.post("log-in", { email, password: PASSWORD })).status, 200);
  const billing = await again.get<Billing>("billing");
  assert.deepEqual([billing.available, billing.methods], [false, []]);
  assert.equal(
    (await again.post("top-ups", { amount: "750.30", method: "bank_card" })).status,
    403,
  );
  assert.equal(await production.stop(), 0);
});
