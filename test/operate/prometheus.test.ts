/**
 * Protects: with a real Prometheus before a real gateway, every query of the dashboard has data, and
 * every alert fires on a fault that is planted: in the gateway where that can be, else in samples.
 * Skipped where Prometheus is not installed.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once as listening } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test, before, after } from "node:test";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { enqueueMail } from "../../src/business/mail/outbox.store.ts";
import { enqueueMessage } from "../../src/business/telegram/messages.store.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { freePort } from "../support/free-port.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount } from "../support/new-customer.ts";
import { startStreamingPair, type StreamingPair } from "../support/streaming-pair.ts";
import { startTelegram, type TelegramServer } from "../support/telegram-server.ts";
import { until } from "../support/until.ts";
import {
  prometheusProgram,
  runPromtool,
  startPrometheus,
  type PrometheusServer,
} from "./prometheus-programs.ts";
import { ALERT_RULES, DASHBOARD_QUERIES, OPS } from "./watched-files.ts";
import { openWatchedTraffic, type WatchedTraffic } from "./watched-traffic.ts";

const CATALOGUE = readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8");
const SESSION_SECRET = "9f2c7be1a04d6358c1e0b7a94d35f286";
const BOT_TOKEN = "7700112233:a-token-of-the-tests-0123456789-abcdef";
const PATIENCE_MS = 90_000;
const promtool = prometheusProgram("promtool");
const prometheus = prometheusProgram("prometheus");

suite("promtool", { skip: promtool === null && "promtool is not installed" }, () => {
  test("the example and the alerts are valid, and each alert fires on its fault and on nothing else", async () => {
    const folder = join(OPS, "prometheus");
    await runPromtool("check", "config", join(folder, "prometheus.yaml"));
    await runPromtool("check", "rules", join(folder, "alerts.yaml"));
    assert.match(await runPromtool("test", "rules", join(folder, "alerts.test.yaml")), /SUCCESS/);
  });
});

suite("prometheus", { skip: prometheus === null && "prometheus is not installed" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  let pair: StreamingPair;
  let db: Db;
  let sandbox: Sandbox;
  let telegram: TelegramServer;
  let gateway: Gateway;
  let server: PrometheusServer;
  /** Where webhooks arrive. */
  let hooks: Server;
  let traffic: WatchedTraffic;
  before(async () => {
    pair = await startStreamingPair();
    sandbox = await createSandbox({
      port: 0,
      host: "127.0.0.1",
      media: { queueMs: 20, runMs: 50 },
    });
    telegram = await startTelegram(BOT_TOKEN);
    gateway = await startGateway({
      databaseUrl: pair.primary.url,
      catalogue: withMore(CATALOGUE, await freePort()),
      env: {
        DATABASE_REPLICA_URL: pair.standby.url,
        SANDBOX_URL: sandbox.url,
        SANDBOX_API_KEY: "key-of-the-operator",
        SESSION_SECRET,
        FETCH_ALLOW: "127.0.0.0/8",
        PAYMENTS_URL: `${sandbox.url}/payments`,
        PAYMENTS_SHOP_ID: "shop",
        PAYMENTS_SECRET_KEY: "key-of-the-shop",
        // No collector is there, so that it loses something.
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
        TELEGRAM_BOT_TOKEN: BOT_TOKEN,
        TELEGRAM_API_URL: telegram.url,
      },
    });
    db = openDatabase({
      url: pair.primary.url,
      poolSize: 2,
      applicationName: "test",
      onError: () => undefined,
    });
    // Before the traffic, so that figures are seen to grow.
    server = await startPrometheus(join(folder, "server"), [
      new URL(gateway.url).host,
      `127.0.0.1:${await freePort()}`,
    ]);
    hooks = createServer((request, answer) => request.resume().on("end", () => answer.end()));
    await listening(hooks.listen(0, "127.0.0.1"), "listening");
    const { port } = hooks.address() as AddressInfo;
    traffic = await openWatchedTraffic(db, gateway.url, `http://127.0.0.1:${port}/hook`);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    hooks.closeAllConnections();
    hooks.close();
    await gateway.stop();
    await telegram[Symbol.asyncDispose]();
    await sandbox.close();
    await db.close();
    await pair[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const LONG = { timeout: 2 * PATIENCE_MS };

  test("the server has every alert, and every query of the dashboard has data", LONG, async () => {
    assert.deepEqual(
      (await server.ruleNames()).toSorted(),
      ALERT_RULES.map(({ alert }) => alert).toSorted(),
    );
    await traffic.begin();
    await plantParked();
    let empty: readonly string[] = [];
    let strangers = 0;
    await until(
      "every query has data",
      async () => {
        await traffic.goOn();
        await traffic.chatWithDoomed();
        // Strangers, whom the bot answers.
        telegram.write((strangers += 1), "hello");
        const results = await Promise.all(
          DASHBOARD_QUERIES.map(async ({ title, expr }) => ({
            name: `${title}: ${expr}`,
            samples: await server.query(asGrafanaAsks(NEVER_HERE.test(expr) ? expr : bare(expr))),
          })),
        );
        empty = results.filter(({ samples }) => samples.every(isNothing)).map(({ name }) => name);
        return empty.length === 0;
      },
      PATIENCE_MS,
    ).catch((error: unknown) => {
      throw new Error(`no data:\n${empty.join("\n")}`, { cause: error });
    });
  });

  /** What is planted in the gateway, by the alert that has to see it; called until it does. */
  const faults: Readonly<Record<string, () => Promise<unknown>>> = {
    // No server listens at the second target.
    TollgateDown: async () => undefined,
    TollgateRouteOpen: () => traffic.chatWithDoomed(),
    TollgateUpstreamFails: () => traffic.chatWithDoomed(),
    TollgateReceiptsParked: () => plantParked(),
    // It is what tells of the parked receipt.
    TollgateSuspicion: async () => undefined,
    TollgateMailWaits: once(() =>
      db.transaction(async (tx) => {
        const mailId = await enqueueMail(tx, createSeal(SESSION_SECRET), {
          to: "anna@example.com",
          kind: "verify",
          subject: "s",
          text: "t",
          html: null,
        });
        await tx.query(
          "UPDATE mail.outbox SET created_at = now() - interval '1 hour', due_at = now() + interval '1 hour' WHERE mail_id = $1",
          [mailId],
        );
      }),
    ),
    TollgateTelegramWaits: once(() =>
      db.transaction(async (tx) => {
        const messageId = await enqueueMessage(tx, createSeal(SESSION_SECRET), {
          memberId: null,
          chatId: 4242n,
          text: "t",
        });
        await tx.query(
          "UPDATE telegram.messages SET created_at = now() - interval '1 hour', due_at = now() + interval '1 hour' WHERE message_id = $1",
          [messageId],
        );
      }),
    ),
    // No collector listens where it is sought.
    TollgateTelemetryLost: async () => undefined,
    TollgateReplicaPassedOver: once(() => pair.standby.stop()),
    TollgateLedgerDisagrees: async () => {
      await damageBooks();
      // One that runs already may have begun before the damage.
      await db.query(
        "INSERT INTO operate.verifications (verification_id) VALUES ($1) ON CONFLICT DO NOTHING",
        [randomUUID()],
      );
    },
  };
  const plantParked = once(() =>
    db.query(
      "INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES (0, 'planted', '{}')",
    ),
  );
  const damageBooks = once(async () =>
    db.query("UPDATE ledger.accounts SET charged_nano = charged_nano + 1 WHERE account_id = $1", [
      await newAccount(db, "5"),
    ]),
  );

  for (const [alert, plant] of Object.entries(faults))
    test(`${alert} sees its fault in a real gateway`, LONG, async () => {
      const expr = ALERT_RULES.find((rule) => rule.alert === alert)?.expr ?? "";
      assert.notEqual(expr, "");
      await until(
        `${alert} sees it`,
        async () => {
          await plant();
          return (await server.query(expr)).length > 0;
        },
        PATIENCE_MS,
      );
    });
});

/** With a model whose only upstream does not listen, and one whose upstream takes batches. */
function withMore(catalogue: string, port: number): string {
  return catalogue
    .replace(
      /^upstreams:$/m,
      `upstreams:\n  passes: { protocol: openai, baseUrl: "\${SANDBOX_URL}/v1", apiKeyEnv: SANDBOX_API_KEY, batches: true, balance: { kind: deepseek } }\n  nobody: { protocol: openai, baseUrl: "http://127.0.0.1:${port}/v1", apiKeyEnv: SANDBOX_API_KEY }`,
    )
    .replace(
      /^models:$/m,
      `models:\n  passed: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "1" }, routes: [ { upstream: passes, model: echo-large } ] }\n  doomed: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "1" }, routes: [ { upstream: nobody, model: m } ] }`,
    );
}

/** What only a gateway does that has more to do than it can; of these the zero is asked for. */
const NEVER_HERE = /gate_refusals/;

/** Without the zero that it shows where there was nothing. */
function bare(expr: string): string {
  return expr.replaceAll(" or on() vector(0)", "");
}

/** As Grafana fills in what it calls by `$`. */
function asGrafanaAsks(expr: string): string {
  return expr.replaceAll("$__rate_interval", "1m");
}

/** What a division by nothing comes to. */
function isNothing({ value: [, number] }: { readonly value: readonly [number, string] }): boolean {
  return number === "NaN";
}

function once(plant: () => Promise<unknown>): () => Promise<unknown> {
  let planted: Promise<unknown> | null = null;
  return () => (planted ??= plant());
}
