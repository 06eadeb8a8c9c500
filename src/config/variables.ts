/** What each setting means, for `.env.example`, which `tollgate config --example` prints. */

interface ConfigVariable {
  /** Lines of a comment. */
  readonly about: readonly string[];
  /** Means what leaving it out means; or, where that has no name, an example. */
  readonly value: string;
}

const variable = (value: string, ...about: string[]): ConfigVariable => ({ value, about });

/** In the order in which an operator sets them up; `describeConfig` shows the same ones. */
export const CONFIG_VARIABLES = {
  NODE_ENV: variable(
    "production",
    "With production SESSION_SECRET is required, and there is no play money of the sandbox.",
  ),
  SESSION_SECRET: variable(
    "",
    "Keeps the panel's sessions and seals what is stored; the same on all machines. Make one with: openssl rand -hex 32",
    "Unset: made and kept in DATA_DIR.",
  ),
  PORT: variable("8080", "Where it listens."),
  HOST: variable("127.0.0.1"),
  BASE_URL: variable(
    "https://api.example.com",
    "Public address of the API. Unset: http://HOST:PORT.",
  ),
  STATIC_URL: variable(
    "https://files.example.com/static",
    "Public address of stored files; in production an origin of its own. Unset: BASE_URL/static.",
  ),
  TRUSTED_PROXIES: variable(
    "127.0.0.1,10.1.0.0/16",
    "Your own reverse proxies, whose X-Forwarded-For is believed. Unset: none.",
  ),
  DATABASE_URL: variable(
    "postgresql://tollgate:PASSWORD@HOST/tollgate",
    "PostgreSQL 15 or newer. Unset: the embedded one in DATA_DIR.",
  ),
  DATABASE_REPLICA_URL: variable(
    "postgresql://tollgate:PASSWORD@STANDBY/tollgate",
    "A streaming standby of DATABASE_URL that lists and exports of the panel are read from. Unset: none.",
  ),
  DATABASE_REPLICA_LAG_SECONDS: variable(
    "5",
    "How old what is read there may be; while it is further behind, the primary is read.",
  ),
  DATA_DIR: variable("./data", "Embedded database, local files."),
  CATALOGUE: variable("catalogue.yaml", "Models, prices and upstreams."),
  STORAGE_URL: variable(
    "s3://KEY:SECRET@HOST/BUCKET?region=eu-west-1",
    "Where files lie: file:DIR, or s3://KEY:SECRET@HOST/BUCKET?region=…. Unset: file:DATA_DIR/files.",
  ),
  STORAGE_DELIVERY: variable(
    "proxy",
    "proxy: files are served through the gateway; redirect: S3 hands them out itself, by signed addresses.",
  ),
  LEDGER_MONTHS: variable(
    "3",
    "How many whole months of entries and receipts `tollgate archive` leaves in the database, beside the one that runs.",
  ),
  TASK_EVENT_MONTHS: variable(
    "12",
    "How many whole months of events of tasks stay, beside the one that runs; all: for ever.",
  ),
  WEBHOOK_MONTHS: variable("3", "The same of webhooks of tasks, with the log of their deliveries."),
  AUDIT_MONTHS: variable("all", "The same of what operators and members did."),
  FILE_RETENTION_DAYS: variable("14", "How long a file is kept."),
  RESPONSE_RETENTION_DAYS: variable(
    "30",
    "How long an answer of /v1/responses is kept that conversations can go on from.",
  ),
  UPLOAD_MAX_MB: variable("200", "The largest upload."),
  ACCOUNT_STORAGE_GB: variable("50", "All files and kept answers of one account."),
  FETCH_ALLOW: variable(
    "10.1.0.0/16",
    "Address ranges, beside the public ones, that customers' URLs may lead to. Unset: none.",
  ),
  PAYMENTS_SHOP_ID: variable(
    "",
    "The shop at YooKassa by which accounts are topped up; both come together. Notifications go to",
    "BASE_URL/payments/notify/yookassa. Unset: operators credit by hand; the sandbox's provider where it runs.",
  ),
  PAYMENTS_SECRET_KEY: variable(""),
  PAYMENTS_URL: variable("https://api.yookassa.ru", "Another server with the same API."),
  SMTP_URL: variable(
    "smtps://USER:PASSWORD@HOST",
    "Where mail goes, and from whom. Unset: into files in DATA_DIR/mail.",
  ),
  MAIL_FROM: variable("Tollgate <noreply@example.com>"),
  TELEGRAM_BOT_TOKEN: variable(
    "",
    "The bot by which alerts reach people in Telegram; make one with @BotFather. Unset: no alerts by Telegram.",
  ),
  TELEGRAM_API_URL: variable(
    "https://api.telegram.org",
    "Another server with the same API, such as your own relay.",
  ),
  WORKERS: variable("1", "Serving processes; auto: one per core."),
  SHUTDOWN_GRACE_SECONDS: variable(
    "0",
    "How long after SIGTERM new requests are still served, while /readyz says 503. Unset: 0; 10 with DATABASE_URL.",
  ),
  DRAIN_SECONDS: variable("30", "How long a stop lets running requests finish, after that."),
  LOG_LEVEL: variable("info", "debug, info, warn, error."),
  SANDBOX_PORT: variable("8090", "Where `npm start` runs the sandbox."),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    "http://127.0.0.1:4318",
    "An OpenTelemetry collector (OTLP over HTTP) for traces, metrics and the log's lines. Unset: none.",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    "authorization=Bearer%20TOKEN",
    "What the collector asks for: name=value,…, percent-encoded.",
  ),
  OTEL_SERVICE_NAME: variable("tollgate", "Whose traces, metrics and lines they are."),
  OTEL_TRACES_EXPORTER: variable("otlp", "Whether the collector gets these: otlp, none."),
  OTEL_METRICS_EXPORTER: variable("otlp"),
  OTEL_LOGS_EXPORTER: variable("otlp"),
  OTEL_METRIC_EXPORT_INTERVAL: variable("60000", "Milliseconds between two exports of metrics."),
} as const satisfies Readonly<Record<string, ConfigVariable>>;

export type ConfigVariableName = keyof typeof CONFIG_VARIABLES;

/** A `.env` that changes nothing until a line of it is uncommented. */
export function exampleEnvironment(): string {
  const settings: readonly (readonly [string, ConfigVariable])[] = Object.entries(CONFIG_VARIABLES);
  const blocks = settings.map(([name, { about, value }]) =>
    [...about.map((line) => `# ${line}`), `#${name}=${value}`].join("\n"),
  );
  const paragraphs = blocks.map((block) => (block.startsWith("# ") ? `\n${block}` : block));
  return `# Settings of Tollgate: copy this file as .env and uncomment what you change. It is what \`tollgate config --example\` prints.\n${paragraphs.join("\n")}\n`;
}
