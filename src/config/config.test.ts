/**
 * Protects: a configuration is understood whole or refused with one line per mistake, and never
 * shows a secret.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeConfig, readConfig } from "./config.ts";

function read(env: Record<string, string>) {
  return readConfig(env, "/somewhere", "/project");
}

test("nothing set is the embedded default", () => {
  const reading = read({});
  assert.ok(reading.ok);
  assert.equal(reading.config.port, 8080);
  assert.equal(reading.config.baseUrl, "http://127.0.0.1:8080");
  assert.equal(reading.config.staticUrl, "http://127.0.0.1:8080/static");
  assert.equal(reading.config.databaseUrl, null);
  assert.equal(reading.config.dataDir, "/somewhere/data");
  assert.equal(reading.config.cataloguePath, "/project/catalogue.yaml");
  assert.equal(reading.config.workers, 1);
  assert.equal(reading.config.storageUrl, "file:/somewhere/data/files");
  assert.equal(reading.config.storageDelivery, "proxy");
  assert.equal(reading.config.fileRetentionDays, 14);
  assert.equal(reading.config.uploadLimitBytes, 200 * 1024 * 1024);
  assert.equal(reading.config.accountStorageBytes, 50 * 1024 ** 3);
});

test("a gateway that shares its database may have a balancer before it, which is given time; any grace may be set", () => {
  for (const [env, seconds] of [
    [{}, 0],
    [{ DATABASE_URL: "postgres://host/db" }, 10],
    [{ DATABASE_URL: "postgres://host/db", SHUTDOWN_GRACE_SECONDS: "0" }, 0],
    [{ SHUTDOWN_GRACE_SECONDS: "25" }, 25],
  ] as const) {
    const reading = read({ ...env });
    assert.ok(reading.ok);
    assert.equal(reading.config.shutdownGraceSeconds, seconds);
  }
});

test("every mistake is told at once, each naming its variable", () => {
  const reading = read({
    PORT: "eighty",
    HOST: "my server",
    BASE_URL: "example.com",
    DATABASE_URL: "mysql://user:hunter2@host/db",
    WORKERS: "0",
    LOG_LEVEL: "loud",
    STORAGE_URL: "s3://key:hunter2@host",
    STORAGE_DELIVERY: "pigeon",
    FILE_RETENTION_DAYS: "0",
    RESPONSE_RETENTION_DAYS: "a month",
    UPLOAD_MAX_MB: "200 MB",
    ACCOUNT_STORAGE_GB: "-1",
    STATIC_URL: "https://files.example.com/?a=b",
    FETCH_ALLOW: "10.0.0.0/8, everything",
    TRUSTED_PROXIES: "10.0.0.0/8, nginx",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization: Bearer hunter2",
    OTEL_LOGS_EXPORTER: "console",
    OTEL_METRIC_EXPORT_INTERVAL: "10",
    NODE_ENV: "production",
  });
  assert.ok(!reading.ok);
  const named = new Set(reading.mistakes.map((mistake) => mistake.split(":")[0]));
  assert.deepEqual(
    named,
    new Set([
      "PORT",
      "HOST",
      "BASE_URL",
      "DATABASE_URL",
      "WORKERS",
      "LOG_LEVEL",
      "STORAGE_URL",
      "STORAGE_DELIVERY",
      "FILE_RETENTION_DAYS",
      "RESPONSE_RETENTION_DAYS",
      "UPLOAD_MAX_MB",
      "ACCOUNT_STORAGE_GB",
      "STATIC_URL",
      "FETCH_ALLOW",
      "TRUSTED_PROXIES",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_LOGS_EXPORTER",
      "OTEL_METRIC_EXPORT_INTERVAL",
      "SESSION_SECRET",
    ]),
  );
  assert.ok(!reading.mistakes.join("\n").includes("hunter2"));
});

test("what is no range of addresses is a mistake, however much it looks like one", () => {
  for (const range of ["10.0.0.0/99", "999.0.0.1", "1.2.3", "::g", "localhost"])
    assert.ok(!read({ FETCH_ALLOW: range }).ok, range);
  for (const range of ["10.0.0.0/8", "127.0.0.1", "fd00::/8", "::1"])
    assert.ok(read({ FETCH_ALLOW: range }).ok, range);
});

test("trusted proxies are addresses and ranges of both versions, none by default, never everybody; what is shown is what is in force", () => {
  const none = read({ TRUSTED_PROXIES: " " });
  assert.ok(none.ok);
  assert.deepEqual(
    [none.config.trustedProxies, describeConfig(none.config)["TRUSTED_PROXIES"]],
    [[], "(none)"],
  );
  const some = read({ TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,::1 , fd00::/8," });
  assert.ok(some.ok);
  assert.deepEqual(some.config.trustedProxies, ["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"]);
  assert.equal(describeConfig(some.config)["TRUSTED_PROXIES"], "127.0.0.1,10.0.0.0/8,::1,fd00::/8");
  for (const proxies of [
    "10.0.0.0/33",
    "999.0.0.1",
    "1.2.3",
    "localhost",
    "127.0.0.1 ::1",
    "127.0.0.1:8080",
    "*",
    "0.0.0.0/0",
    "::/0",
  ]) {
    const reading = read({ TRUSTED_PROXIES: `127.0.0.1, ${proxies}` });
    assert.ok(!reading.ok, proxies);
    assert.equal(reading.mistakes.length, 1);
    assert.ok(reading.mistakes[0]?.startsWith(`TRUSTED_PROXIES: "${proxies}" is `), proxies);
  }
});

test("files are served below the path of their address, or at its root", () => {
  for (const address of [
    "https://files.example.com",
    "https://files.example.com/",
    "http://127.0.0.1:9000/a/b-c",
  ]) {
    const reading = read({ STATIC_URL: address });
    assert.ok(reading.ok && reading.config.staticUrl === address.replace(/\/$/, ""), address);
  }
  for (const address of [
    "https://me:pw@host/static",
    "https://host/{name}",
    "https://host/a%20b",
    "https://host/static#x",
  ])
    assert.ok(!read({ STATIC_URL: address }).ok, address);
});

test("a short session secret is refused", () => {
  assert.ok(!read({ SESSION_SECRET: "short" }).ok);
});

test("a payment shop has an id and a key, or neither", () => {
  const reading = read({ PAYMENTS_SHOP_ID: "100500", PAYMENTS_SECRET_KEY: "live_x" });
  assert.ok(reading.ok);
  assert.deepEqual(reading.config.payments, {
    baseUrl: "https://api.yookassa.ru",
    shopId: "100500",
    secretKey: "live_x",
  });
  assert.ok(!read({ PAYMENTS_SHOP_ID: "100500" }).ok);
  assert.ok(!read({ PAYMENTS_SECRET_KEY: "live_x" }).ok);
  const none = read({});
  assert.ok(none.ok && none.config.payments === null);
});

test("a replica is one of a database of the operator's own, and is told how old it may be", () => {
  const reading = read({
    DATABASE_URL: "postgresql://one/db",
    DATABASE_REPLICA_URL: "postgresql://two/db",
  });
  assert.ok(reading.ok);
  assert.equal(reading.config.databaseReplicaUrl, "postgresql://two/db");
  assert.equal(reading.config.databaseReplicaLagSeconds, 5);
  assert.ok(!read({ DATABASE_REPLICA_URL: "postgresql://two/db" }).ok);
  for (const lag of ["1", "301", "5s"]) assert.ok(!read({ DATABASE_REPLICA_LAG_SECONDS: lag }).ok);
});

test("a bot's token is a token or a mistake that does not repeat it", () => {
  const botToken = `7700112233:${"a1_-".repeat(9)}`;
  const reading = read({ TELEGRAM_BOT_TOKEN: botToken });
  assert.ok(reading.ok);
  assert.deepEqual(reading.config.telegram, { botToken, apiUrl: "https://api.telegram.org" });
  const wrong = read({ TELEGRAM_BOT_TOKEN: "hunter2/../getMe" });
  assert.ok(!wrong.ok && !wrong.mistakes.join("").includes("hunter2"));
  const none = read({ TELEGRAM_API_URL: "http://127.0.0.1:1" });
  assert.ok(none.ok && none.config.telegram === null);
});

test("what is printed masks every secret", () => {
  const reading = read({
    DATABASE_URL: "postgresql://user:hunter2@host/db?sslpassword=hunter2",
    DATABASE_REPLICA_URL: "postgresql://user:hunter2@standby/db",
    STORAGE_URL: "s3://key:hunter2@host/bucket?region=x",
    SMTP_URL: "smtp://me:hunter2@mail",
    SESSION_SECRET: "hunter2".repeat(8),
    PAYMENTS_SHOP_ID: "100500",
    PAYMENTS_SECRET_KEY: "live_hunter2",
    TELEGRAM_BOT_TOKEN: `7700112233:${"hunter2".repeat(5)}`,
    TELEGRAM_API_URL: "https://me:hunter2@relay",
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://me:hunter2@collector",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20hunter2",
  });
  assert.ok(reading.ok);
  const shown = JSON.stringify(describeConfig(reading.config));
  assert.ok(!shown.includes("hunter2"), shown);
  assert.ok(shown.includes("host"));
});

test("an IPv6 host stands in brackets in the address", () => {
  const reading = read({ HOST: "::1" });
  assert.ok(reading.ok);
  assert.equal(reading.config.baseUrl, "http://[::1]:8080");
});

test("the collector's headers are read as OpenTelemetry writes them", () => {
  const reading = read({
    OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20YTpi==, x-team = a b",
  });
  assert.ok(reading.ok);
  assert.deepEqual(reading.config.otlpHeaders, { authorization: "Basic YTpi==", "x-team": "a b" });
  assert.ok(!read({ OTEL_EXPORTER_OTLP_HEADERS: "x-team=a%0d%0ax-evil: b" }).ok);
});

test("a collector gets everything, unless a signal is said to have no exporter", () => {
  const all = read({});
  assert.ok(all.ok);
  assert.deepEqual(all.config.otelSignals, { traces: true, metrics: true, logs: true });
  assert.equal(all.config.otelMetricIntervalMs, 60_000);
  const some = read({
    OTEL_METRICS_EXPORTER: "none",
    OTEL_LOGS_EXPORTER: "none",
    OTEL_TRACES_EXPORTER: "otlp",
  });
  assert.ok(some.ok);
  assert.deepEqual(some.config.otelSignals, { traces: true, metrics: false, logs: false });
});
