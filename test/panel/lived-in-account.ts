/**
 * The first operator of a fresh gateway, whose account has been in use: keys, requests, tasks,
 * files, money, alerts, colleagues, other accounts.
 */
import assert from "node:assert/strict";
import sharp from "sharp";
import type { AlertList } from "../../src/contract/panel/alert.ts";
import type { CatalogueSource } from "../../src/contract/panel/operator-catalogue.ts";
import type { LedgerStatus } from "../../src/contract/panel/operator-ledger.ts";
import type { PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import type { PanelRequestList } from "../../src/contract/panel/panel-request.ts";
import type { PanelTask } from "../../src/contract/panel/panel-task.ts";
import type { PlaygroundTaskOrdered } from "../../src/contract/panel/playground.ts";
import type { TopUp, TopUpBegun } from "../../src/contract/panel/top-up.ts";
import { payOnPage } from "../payments/pay-on-page.ts";
import {
  logInAtPanel,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
  type PanelGateway,
  type PanelPerson,
} from "../support/panel-session.ts";
import type { Started } from "../support/start-tollgate.ts";
import { until } from "../support/until.ts";

export interface LivedInAccount {
  readonly operator: PanelPerson;
  /** What addresses of pages need. */
  readonly keyHash: string;
  readonly chatId: string;
  readonly failedId: string;
  readonly pictureTask: string;
  readonly filmTask: string;
  readonly failedTask: string;
  readonly topUpId: string;
  readonly otherAccount: string;
}

const LONG =
  "Очень длинное название, какое дают, когда подробностей много, а места мало: служба поддержки";

export async function liveIn(tollgate: Started, gateway: PanelGateway): Promise<LivedInAccount> {
  const [, email = "", current = ""] =
    /log in as (\S+), one-time password (\S+?)[;)\s]/.exec(tollgate.text) ?? [];
  const browser = openPanelBrowser(tollgate.url);
  await browser.ask("POST", "log-in", { email, password: current });
  await browser.ask("POST", "password", { current, next: PASSWORD });
  const operator = await logInAtPanel(browser, email, PASSWORD);

  /** Insists that it was taken. */
  async function post<T>(
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T> {
    const answer = await operator.ask("POST", path, body, headers);
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
    return answer.json<T>();
  }
  async function chat(secret: string, model: string, content: string): Promise<string> {
    const answer = await fetch(`${tollgate.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content }] }),
    });
    await answer.arrayBuffer();
    return answer.headers.get("x-request-id") ?? "";
  }

  const { secret, key } = await post<PanelKeyMade>("keys", {
    name: "Бот на сайте",
    limit: { amount: "500", period: "month" },
  });
  await post("keys", {
    name: LONG,
    models: ["sandbox-small"],
    ips: ["203.0.113.7"],
    expiresAt: "2099-01-01T00:00:00Z",
  });
  const frozen = await post<PanelKeyMade>("keys", {
    name: "A-name-without-any-place-to-break-it-in-two-and-longer-than-a-phone-is-wide",
  });
  await post(`keys/${frozen.key.hash}/freeze`);

  const chatId = await chat(secret, "sandbox-large", "Расскажи о дорогах. ".repeat(30));
  for (const model of ["sandbox-medium", "sandbox-small", "sandbox-small"])
    await chat(secret, model, "Hello there");
  const failedId = await chat(secret, "sandbox-large", "[[sandbox: status=500]] Hello");

  const batch = await fetch(`${tollgate.url}/v1/messages/batches`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json" },
    body: JSON.stringify({
      requests: ["Hello", "[[sandbox: status=400]] Hello"].map((content, n) => ({
        custom_id: `r${n}`,
        params: { model: "sandbox-small", max_tokens: 20, messages: [{ role: "user", content }] },
      })),
    }),
  });
  assert.equal(batch.status, 200, await batch.text());

  async function order(model: string, input: object): Promise<string> {
    return (
      await post<PlaygroundTaskOrdered>(`playground/tasks/${model}`, input, {
        "x-tollgate-key": key.hash,
      })
    ).taskId;
  }
  const pictureTask = await order("flux-2", {
    prompt: "Ворота у дороги на рассвете. A gate by the road at dawn.",
  });
  const filmTask = await order("seedance-2", {
    prompt: "Шлагбаум открывается.",
    resolution: "480p",
    duration: 4,
  });
  const failedTask = await order("flux-2", { prompt: "[[sandbox: fail=blocked]] A gate." });
  await order("flux-2", { prompt: "[[sandbox: stuck]] A gate." });

  for (const [name, background] of [
    ["дверь.png", "#3366aa"],
    [
      "a-file-name-without-any-place-to-break-it-in-two-and-longer-than-a-phone-is-wide.png",
      "#aa6633",
    ],
  ] as const) {
    const picture = sharp({ create: { width: 320, height: 240, channels: 3, background } });
    const sent = new FormData();
    sent.set(
      "file",
      new Blob([new Uint8Array(await picture.png().toBuffer())], { type: "image/png" }),
      name,
    );
    const headers = { origin: tollgate.url, cookie: [operator.cookie, operator.device].join("; ") };
    const answer = await fetch(`${tollgate.url}/panel/api/playground/files`, {
      method: "POST",
      body: sent,
      headers,
    });
    assert.equal(answer.status, 201, await answer.text());
  }

  async function topUp(amount: string): Promise<TopUpBegun> {
    return post<TopUpBegun>("top-ups", { amount, method: "bank_card" });
  }
  const paid = await topUp("750.30");
  await payOnPage(paid.redirectUrl, "pay");
  await payOnPage((await topUp("100")).redirectUrl, "fail");
  const { topUpId } = await topUp("5000");

  const webhookUrl = `${tollgate.url}/a/webhook/with/a/very/long/address/that/nobody/answers/and/that/breaks/nowhere`;
  await post("alerts", {
    kind: "spend_day",
    threshold: "1000",
    keyHash: key.hash,
    mailTo: "nobody",
    webhookUrl,
  });
  await post("alerts", { kind: "spend_spike", threshold: "100", factor: 3 });
  const { data: alerts } = (await operator.ask("GET", "alerts")).json<AlertList>();
  for (const { alertId } of alerts) await post(`alerts/${alertId}/test`);
  await post("alerts/webhook-secret");
  await post("webhook-secret/roll", {});
  await post("members/invite", { email: newEmail(), role: "viewer" });

  const other = await signUpAtPanel(gateway, LONG);
  const blocked = await signUpAtPanel(gateway, "<img src=x onerror=alert(1)>");
  const at = (accountId: string): string => `operator/accounts/${accountId}`;
  await post(`${at(other.accountId)}/credit`, {
    amount: "12345.67",
    reason: "Оплата по счёту № 17",
    ref: "bill-17",
  });
  await post(`${at(other.accountId)}/adjust`, { amount: "-45.67", reason: "Ошиблись в счёте" });
  await post(`${at(other.accountId)}/limits`, { requestsPerMinute: 60, reason: "По просьбе" });
  await post(`${at(blocked.accountId)}/block`, { reason: "Жалобы на рассылку" });
  const { source, version } = (
    await operator.ask("GET", "operator/catalogue")
  ).json<CatalogueSource>();
  await post("operator/catalogue/apply", {
    source: `${source}\n# Checked.\n`,
    expectedVersion: version,
    note: "Проверили цены",
  });
  await post("operator/ledger/verify");

  await until("all that is under way has ended", async () => {
    const ended = await Promise.all(
      [pictureTask, filmTask, failedTask].map(
        async (id) =>
          (await operator.ask("GET", `tasks/${id}`)).json<PanelTask>().completedAt !== null,
      ),
    );
    const { state } = (await operator.ask("GET", `top-ups/${paid.topUpId}`)).json<TopUp>();
    const { data } = (await operator.ask("GET", "requests?limit=50")).json<PanelRequestList>();
    const { last } = (await operator.ask("GET", "operator/ledger")).json<LedgerStatus>();
    return (
      ended.every(Boolean) &&
      state === "succeeded" &&
      data.some(({ id }) => id === failedId) &&
      last?.state === "done"
    );
  });
  return {
    operator,
    keyHash: key.hash,
    chatId,
    failedId,
    pictureTask,
    filmTask,
    failedTask,
    topUpId,
    otherAccount: other.accountId,
  };
}
