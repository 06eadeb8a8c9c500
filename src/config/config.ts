/**
 * Configuration: environment variables and `.env`, validated at start with one clear line per
 * mistake (contract §1).
 */
import { availableParallelism } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { parseIpRange } from "../keys/ip-ranges.ts";
import { parseRange } from "../net/public-address.ts";
import { parseStorageUrl } from "../storage/parse-storage-url.ts";
import type { ConfigVariableName } from "./variables.ts";
import { readOtlpHeaders } from "./otlp-headers.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Null until the port is known, where PORT is 0 and BASE_URL is not set. */
  readonly baseUrl: string | null;
  readonly staticUrl: string | null;
  /** Null: the embedded PostgreSQL in dataDir. */
  readonly databaseUrl: string | null;
  /** A standby of it that lists may be read from; null: none. */
  readonly databaseReplicaUrl: string | null;
  /** How old what is read there may be. */
  readonly databaseReplicaLagSeconds: number;
  readonly dataDir: string;
  readonly storageUrl: string;
  /** Whether readers of files are sent to the storage itself, where it has addresses of its own. */
  readonly storageDelivery: StorageDelivery;
  /** Whole months of entries that an archiver leaves in the database. */
  readonly ledgerMonths: number;
  /** Whole months that stay in the database beside the running one; null: all. */
  readonly keptMonths: {
    readonly taskEvents: number | null;
    readonly webhooks: number | null;
    readonly audit: number | null;
  };
  readonly fileRetentionDays: number;
  readonly responseRetentionDays: number;
  /** Of one file. */
  readonly uploadLimitBytes: number;
  /** Of an account's stored files together. */
  readonly accountStorageBytes: number;
  readonly cataloguePath: string;
  readonly workers: number;
  readonly sessionSecret: string | null;
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  /** Null: accounts are topped up by the operator, or by the sandbox's provider where that runs. */
  readonly payments: {
    readonly baseUrl: string;
    readonly shopId: string;
    readonly secretKey: string;
  } | null;
  /** Null: nothing is sent by Telegram. */
  readonly telegram: { readonly botToken: string; readonly apiUrl: string } | null;
  readonly logLevel: LogLevel;
  readonly sandboxPort: number;
  readonly fetchAllow: readonly string[];
  /** Proxies of our own: their word on whose request it is, is taken. */
  readonly trustedProxies: readonly string[];
  /** How long new requests are still served after SIGTERM, while `/readyz` says 503 already. */
  readonly shutdownGraceSeconds: number;
  readonly drainSeconds: number;
  /** An OpenTelemetry collector; null: none. */
  readonly otlpEndpoint: string | null;
  /** What the collector asks for; may hold a token. */
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly otelServiceName: string;
  /** What of us it is sent. */
  readonly otelSignals: {
    readonly traces: boolean;
    readonly metrics: boolean;
    readonly logs: boolean;
  };
  /** Between two exports of metrics. */
  readonly otelMetricIntervalMs: number;
  readonly production: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

const STORAGE_DELIVERIES = ["proxy", "redirect"] as const;
type StorageDelivery = (typeof STORAGE_DELIVERIES)[number];
const YOOKASSA_URL = "https://api.yookassa.ru";
const TELEGRAM_URL = "https://api.telegram.org";
const MEGABYTE = 1024 ** 2;
const GIGABYTE = 1024 ** 3;

const BOT_TOKEN = /^\d{1,16}:[\w-]{30,100}$/;

export type ConfigReading =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly mistakes: readonly string[] };

/**
 * Reads every variable, so that all mistakes are reported at once. `cwd` is what relative paths
 * start from; the sandbox catalogue lies in `projectRoot`.
 */
export function readConfig(env: Environment, cwd: string, projectRoot: string): ConfigReading {
  const mistakes: string[] = [];

  function text(name: string): string | null {
    const value = env[name]?.trim();
    return value === undefined || value === "" ? null : value;
  }
  function wholeNumber(name: string, fallback: number, low: number, high: number): number {
    const value = text(name);
    if (value === null) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= low && number <= high) return number;
    mistakes.push(`${name}: a whole number from ${low} to ${high} is expected, not "${value}".`);
    return fallback;
  }
  /** Null: all. */
  function keptMonths(name: string, fallback: number | null): number | null {
    const value = text(name);
    if (value === null) return fallback;
    if (value === "all") return null;
    const number = /^\d{1,4}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= 1200) return number;
    mistakes.push(`${name}: a whole number from 1 to 1200 is expected, or all, not "${value}".`);
    return fallback;
  }
  function url(name: string, protocols: readonly string[]): string | null {
    const value = text(name);
    if (value === null) return null;
    const parsed = URL.parse(value);
    if (parsed !== null && protocols.includes(parsed.protocol)) return value.replace(/\/+$/, "");
    // The value may carry a password, so it is not repeated.
    mistakes.push(
      `${name}: an address is expected that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}.`,
    );
    return null;
  }
  function exported(name: string): boolean {
    const value = text(name) ?? "otlp";
    if (value !== "otlp" && value !== "none")
      mistakes.push(`${name}: otlp or none is expected, not "${value}".`);
    return value === "otlp";
  }
  function list(name: string): string[] {
    return (text(name) ?? "")
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }
  function path(value: string): string {
    return isAbsolute(value) ? value : resolve(cwd, value);
  }

  const host = text("HOST") ?? "127.0.0.1";
  const port = wholeNumber("PORT", 8080, 0, 65_535);
  const dataDir = path(text("DATA_DIR") ?? "data");
  const production = text("NODE_ENV") === "production";
  const sessionSecret = text("SESSION_SECRET");
  if (production && sessionSecret === null) {
    mistakes.push(
      "SESSION_SECRET: required when NODE_ENV=production. Make one with: openssl rand -hex 32",
    );
  } else if (sessionSecret !== null && sessionSecret.length < 32) {
    mistakes.push("SESSION_SECRET: at least 32 characters are expected.");
  }
  const level = LOG_LEVELS.find((candidate) => candidate === (text("LOG_LEVEL") ?? "info"));
  if (level === undefined) mistakes.push(`LOG_LEVEL: one of ${LOG_LEVELS.join(", ")} is expected.`);
  const workers =
    text("WORKERS") === "auto" ? availableParallelism() : wholeNumber("WORKERS", 1, 1, 256);
  const storageUrl = text("STORAGE_URL") ?? `file:${join(dataDir, "files")}`;
  const storage = parseStorageUrl(storageUrl);
  if (!storage.ok) mistakes.push(`STORAGE_URL: ${storage.message}`);
  const storageDelivery = STORAGE_DELIVERIES.find(
    (candidate) => candidate === (text("STORAGE_DELIVERY") ?? "proxy"),
  );
  if (storageDelivery === undefined)
    mistakes.push(`STORAGE_DELIVERY: one of ${STORAGE_DELIVERIES.join(", ")} is expected.`);
  const fetchAllow = list("FETCH_ALLOW");
  for (const range of fetchAllow) {
    if (parseRange(range) === null)
      mistakes.push(`FETCH_ALLOW: "${range}" is not an address range such as 10.0.0.0/8.`);
  }
  const trustedProxies = list("TRUSTED_PROXIES");
  for (const proxy of trustedProxies) {
    const range = parseIpRange(proxy);
    if (range === null)
      mistakes.push(
        `TRUSTED_PROXIES: "${proxy}" is not an address or an address range such as 10.0.0.0/8.`,
      );
    else if (range.prefix === 0)
      mistakes.push(
        `TRUSTED_PROXIES: "${proxy}" is everybody, and then anybody may claim any address.`,
      );
  }
  const givenOtlpHeaders = text("OTEL_EXPORTER_OTLP_HEADERS");
  const otlpHeaders = givenOtlpHeaders === null ? {} : readOtlpHeaders(givenOtlpHeaders);
  if (otlpHeaders === null) {
    mistakes.push(
      "OTEL_EXPORTER_OTLP_HEADERS: NAME=VALUE pairs are expected, separated by commas, the values percent-encoded.",
    );
  }
  const givenBaseUrl = url("BASE_URL", ["http:", "https:"]);
  const shownHost = host.includes(":") ? `[${host}]` : host;
  // The zone of a link-local address has no place in a URL.
  if (URL.parse(`http://${shownHost.replace(/%[\w.-]+\]$/, "]")}/`)?.pathname !== "/")
    mistakes.push(`HOST: the name or address of an interface is expected, not "${host}".`);
  const baseUrl = givenBaseUrl ?? (port === 0 ? null : `http://${shownHost}:${port}`);

  const staticUrl = url("STATIC_URL", ["http:", "https:"]);
  if (staticUrl !== null && !isPlainFolder(staticUrl)) {
    mistakes.push(
      "STATIC_URL: an address without a query is expected whose path has letters, digits, dots, dashes and slashes only.",
    );
  }

  const paymentsUrl = url("PAYMENTS_URL", ["https:", "http:"]);
  const shopId = text("PAYMENTS_SHOP_ID");
  const secretKey = text("PAYMENTS_SECRET_KEY");
  if ((shopId === null) !== (secretKey === null)) {
    mistakes.push(
      `${shopId === null ? "PAYMENTS_SHOP_ID" : "PAYMENTS_SECRET_KEY"}: needed too: the shop's id and its secret key come together.`,
    );
  }

  const telegramUrl = url("TELEGRAM_API_URL", ["https:", "http:"]);
  const botToken = text("TELEGRAM_BOT_TOKEN");
  // It is part of an address; and never repeated, since it may be right but for a letter.
  if (botToken !== null && !BOT_TOKEN.test(botToken)) {
    mistakes.push(
      "TELEGRAM_BOT_TOKEN: a bot's token is expected as @BotFather gives it: digits, a colon, letters.",
    );
  }

  const databaseUrl = url("DATABASE_URL", ["postgres:", "postgresql:"]);
  const databaseReplicaUrl = url("DATABASE_REPLICA_URL", ["postgres:", "postgresql:"]);
  if (databaseReplicaUrl !== null && text("DATABASE_URL") === null) {
    mistakes.push(
      "DATABASE_REPLICA_URL: a standby of the database in DATABASE_URL is expected; the embedded one has none.",
    );
  }
  const config: Config = {
    host,
    port,
    baseUrl,
    staticUrl: staticUrl ?? (baseUrl === null ? null : `${baseUrl}/static`),
    databaseUrl,
    databaseReplicaUrl,
    databaseReplicaLagSeconds: wholeNumber("DATABASE_REPLICA_LAG_SECONDS", 5, 2, 300),
    dataDir,
    storageUrl,
    storageDelivery: storageDelivery ?? "proxy",
    ledgerMonths: wholeNumber("LEDGER_MONTHS", 3, 1, 1200),
    keptMonths: {
      taskEvents: keptMonths("TASK_EVENT_MONTHS", 12),
      webhooks: keptMonths("WEBHOOK_MONTHS", 3),
      audit: keptMonths("AUDIT_MONTHS", null),
    },
    fileRetentionDays: wholeNumber("FILE_RETENTION_DAYS", 14, 1, 3650),
    responseRetentionDays: wholeNumber("RESPONSE_RETENTION_DAYS", 30, 1, 3650),
    uploadLimitBytes: wholeNumber("UPLOAD_MAX_MB", 200, 1, 5120) * MEGABYTE,
    accountStorageBytes: wholeNumber("ACCOUNT_STORAGE_GB", 50, 1, 1_000_000) * GIGABYTE,
    cataloguePath: path(text("CATALOGUE") ?? join(projectRoot, "catalogue.yaml")),
    workers,
    sessionSecret,
    smtpUrl: url("SMTP_URL", ["smtp:", "smtps:"]),
    mailFrom: text("MAIL_FROM"),
    payments:
      shopId === null || secretKey === null
        ? null
        : { baseUrl: paymentsUrl ?? YOOKASSA_URL, shopId, secretKey },
    telegram: botToken === null ? null : { botToken, apiUrl: telegramUrl ?? TELEGRAM_URL },
    logLevel: level ?? "info",
    sandboxPort: wholeNumber("SANDBOX_PORT", 8090, 0, 65_535),
    fetchAllow,
    trustedProxies,
    // With a database of its own a gateway is alone: there is no balancer that has another to turn
    // to.
    shutdownGraceSeconds: wholeNumber(
      "SHUTDOWN_GRACE_SECONDS",
      databaseUrl === null ? 0 : 10,
      0,
      3600,
    ),
    drainSeconds: wholeNumber("DRAIN_SECONDS", 30, 0, 3600),
    otlpEndpoint: url("OTEL_EXPORTER_OTLP_ENDPOINT", ["http:", "https:"]),
    otlpHeaders: otlpHeaders ?? {},
    otelServiceName: text("OTEL_SERVICE_NAME") ?? "tollgate",
    otelSignals: {
      traces: exported("OTEL_TRACES_EXPORTER"),
      metrics: exported("OTEL_METRICS_EXPORTER"),
      logs: exported("OTEL_LOGS_EXPORTER"),
    },
    otelMetricIntervalMs: wholeNumber("OTEL_METRIC_EXPORT_INTERVAL", 60_000, 1_000, 3_600_000),
    production,
  };
  return mistakes.length > 0 ? { ok: false, mistakes } : { ok: true, config };
}

/**
 * Files' addresses are made by putting their names behind it, and its path is where they are
 * served.
 */
function isPlainFolder(address: string): boolean {
  const { pathname, search, hash, username } = new URL(address);
  return (
    search === "" && hash === "" && username === "" && /^(?:\/[A-Za-z0-9._~-]+)*\/?$/.test(pathname)
  );
}

/** What `tollgate config` prints: variable by variable, secrets and passwords masked. */
export function describeConfig(config: Config): Record<ConfigVariableName, string> {
  return {
    PORT: String(config.port),
    HOST: config.host,
    BASE_URL: config.baseUrl ?? "(known when the server listens)",
    STATIC_URL: config.staticUrl ?? "(known when the server listens)",
    DATABASE_URL:
      config.databaseUrl === null
        ? "(embedded PostgreSQL in DATA_DIR)"
        : maskUrl(config.databaseUrl),
    DATABASE_REPLICA_URL:
      config.databaseReplicaUrl === null ? "(none)" : maskUrl(config.databaseReplicaUrl),
    DATABASE_REPLICA_LAG_SECONDS: String(config.databaseReplicaLagSeconds),
    DATA_DIR: config.dataDir,
    STORAGE_URL: maskUrl(config.storageUrl),
    STORAGE_DELIVERY: config.storageDelivery,
    LEDGER_MONTHS: String(config.ledgerMonths),
    TASK_EVENT_MONTHS: String(config.keptMonths.taskEvents ?? "all"),
    WEBHOOK_MONTHS: String(config.keptMonths.webhooks ?? "all"),
    AUDIT_MONTHS: String(config.keptMonths.audit ?? "all"),
    FILE_RETENTION_DAYS: String(config.fileRetentionDays),
    RESPONSE_RETENTION_DAYS: String(config.responseRetentionDays),
    UPLOAD_MAX_MB: String(config.uploadLimitBytes / MEGABYTE),
    ACCOUNT_STORAGE_GB: String(config.accountStorageBytes / GIGABYTE),
    CATALOGUE: config.cataloguePath,
    WORKERS: String(config.workers),
    SESSION_SECRET: config.sessionSecret === null ? "(made and kept in DATA_DIR)" : "••••••",
    SMTP_URL:
      config.smtpUrl === null
        ? "(mail goes to the log and DATA_DIR/mail)"
        : maskUrl(config.smtpUrl),
    MAIL_FROM: config.mailFrom ?? "(not set)",
    PAYMENTS_URL:
      config.payments?.baseUrl ??
      "(top-ups by the sandbox's provider where it runs, else by the operator)",
    PAYMENTS_SHOP_ID: config.payments?.shopId ?? "(not set)",
    PAYMENTS_SECRET_KEY: config.payments === null ? "(not set)" : "••••••",
    TELEGRAM_BOT_TOKEN: config.telegram === null ? "(not set)" : "••••••",
    TELEGRAM_API_URL: config.telegram === null ? "(not set)" : maskUrl(config.telegram.apiUrl),
    LOG_LEVEL: config.logLevel,
    SANDBOX_PORT: String(config.sandboxPort),
    FETCH_ALLOW: config.fetchAllow.length === 0 ? "(none)" : config.fetchAllow.join(","),
    TRUSTED_PROXIES:
      config.trustedProxies.length === 0 ? "(none)" : config.trustedProxies.join(","),
    SHUTDOWN_GRACE_SECONDS: String(config.shutdownGraceSeconds),
    DRAIN_SECONDS: String(config.drainSeconds),
    OTEL_EXPORTER_OTLP_ENDPOINT:
      config.otlpEndpoint === null ? "(not set)" : maskUrl(config.otlpEndpoint),
    OTEL_EXPORTER_OTLP_HEADERS:
      Object.keys(config.otlpHeaders).length === 0 ? "(not set)" : "••••••",
    OTEL_SERVICE_NAME: config.otelServiceName,
    OTEL_TRACES_EXPORTER: config.otelSignals.traces ? "otlp" : "none",
    OTEL_METRICS_EXPORTER: config.otelSignals.metrics ? "otlp" : "none",
    OTEL_LOGS_EXPORTER: config.otelSignals.logs ? "otlp" : "none",
    OTEL_METRIC_EXPORT_INTERVAL: String(config.otelMetricIntervalMs),
    NODE_ENV: config.production ? "production" : "(not production)",
  };
}

/**
 * Hides user names, passwords and query values of an address; whatever is not an address is hidden
 * whole.
 */
function maskUrl(value: string): string {
  if (value.startsWith("file:")) return value;
  const parsed = URL.parse(value);
  if (parsed === null) return "••••••";
  if (parsed.username !== "") parsed.username = "***";
  if (parsed.password !== "") parsed.password = "***";
  for (const name of [...parsed.searchParams.keys()]) {
    if (/pass|secret|key|token/i.test(name)) parsed.searchParams.set(name, "***");
  }
  return parsed.toString();
}
