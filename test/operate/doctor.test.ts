/**
 * Protects: an examination finds each fault that an installation may have, with what it means and
 * what to do; it says nothing of a healthy one, waits for no check beyond its deadline, and repeats
 * no secret.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createServer, type Server } from "node:tls";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { DoctorDeps } from "../../src/business/doctor/doctor-deps.ts";
import { examine } from "../../src/business/doctor/examine.ts";
import { findingText, SEVERITIES, type FindingText } from "../../src/business/doctor/finding.ts";
import { enqueueMail } from "../../src/business/mail/outbox.store.ts";
import { enqueueMessage } from "../../src/business/telegram/messages.store.ts";
import { tellCircuits } from "../../src/business/operate/circuits.store.ts";
import { appendVersion } from "../../src/catalogue/store.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { checkMailServer } from "../../src/net/check-mail-server.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import { probeEndpoint } from "../../src/net/probe-endpoint.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { LOOPBACK_PEM } from "../support/loopback-identity.ts";
import { startScriptedUpstream, type ScriptedUpstream } from "../support/scripted-upstream.ts";
import { startSmtpServer, type SmtpServer } from "../support/smtp-server.ts";
import { startTelegram } from "../support/telegram-server.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const DAY_MS = 86_400_000;
const CREDENTIAL = "sk-operators-own-0123456789abcdef";
const SESSION_SECRET = "9f2c7be1a04d6358c1e0b7a94d35f286";
const PLENTY = { freeBytes: 500e9, totalBytes: 900e9, freeFiles: 9_000_000 };

const folder = mkdtempSync(join(tmpdir(), "doctor-"));
const outgoing = createOutgoing();
let database: TestDatabase;
let upstream: ScriptedUpstream;
let smtp: SmtpServer;
let tls: Server;
let port = 0;
before(async () => {
  mkdirSync(join(folder, "files"));
  database = await testDatabase();
  // Whatever is asked of it, and all that the payment provider answers here.
  upstream = await startScriptedUpstream((exchange) =>
    exchange.json(exchange.request.path.startsWith("/v3/payments/") ? 404 : 200, {}),
  );
  smtp = await startSmtpServer();
  tls = createServer({ key: LOOPBACK_PEM, cert: LOOPBACK_PEM }, (socket) =>
    socket.on("error", () => undefined),
  ).listen(0, "127.0.0.1");
  await once(tls, "listening");
  port = await freePort();
  await apply(catalogueOf(upstream.url));
});
after(async () => {
  await outgoing.close();
  tls.close();
  await smtp[Symbol.asyncDispose]();
  await upstream.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function catalogueOf(address: string, { price = "150", key = "UPSTREAM_KEY" } = {}): string {
  return `
upstreams: { up: { protocol: openai, baseUrl: "${address}/v1", apiKeyEnv: ${key} } }
models:
  m:
    type: chat
    endpoints: [chat.completions]
    contextTokens: 20000
    maxOutputTokens: 8000
    price: { input: "${price}", output: "600" }
    routes: [ { upstream: up, model: m, cost: { input: "100", output: "400" } } ]
`;
}

function apply(source: string): Promise<unknown> {
  return database.db.transaction((tx) =>
    appendVersion(tx, { source, origin: "file", appliedBy: "test" }),
  );
}

/** Another catalogue is in force for so long. */
async function applied(source: string): Promise<AsyncDisposable> {
  await apply(source);
  return { [Symbol.asyncDispose]: async () => void (await apply(catalogueOf(upstream.url))) };
}

/** A healthy installation, but for what a test plants. */
function depsWith(planted: {
  readonly deps?: Partial<DoctorDeps>;
  readonly installation?: Partial<DoctorDeps["installation"]>;
}): DoctorDeps {
  const cataloguePath = join(folder, "catalogue.yaml");
  writeFileSync(cataloguePath, catalogueOf(upstream.url));
  return {
    env: { UPSTREAM_KEY: CREDENTIAL },
    clock: systemClock,
    outgoing,
    migrations: { directory: MIGRATIONS, version: "0.1.0" },
    envFile: join(folder, ".env"),
    deadlineMs: 15_000,
    backups: null,
    openDatabase: async () => database.db,
    openReplica: async () => database.db,
    probe: probeEndpoint,
    checkMailServer,
    roomOf: async () => PLENTY,
    readFile: (path) => readFile(path, "utf8"),
    ...planted.deps,
    installation: {
      production: false,
      host: "127.0.0.1",
      port,
      baseUrl: `http://127.0.0.1:${port}`,
      databaseUrl: database.url,
      databaseReplicaUrl: null,
      databaseReplicaLagSeconds: 5,
      dataDir: folder,
      storageUrl: `file:${join(folder, "files")}`,
      cataloguePath,
      sandboxPort: 0,
      sessionSecret: SESSION_SECRET,
      smtpUrl: smtp.url,
      mailFrom: "Tollgate <noreply@example.com>",
      payments: null,
      telegram: null,
      trustedProxies: [],
      otlpEndpoint: null,
      otlpHeaders: {},
      otelSignals: { traces: true, metrics: true, logs: true },
      ...planted.installation,
    },
  };
}

type Planted = Parameters<typeof depsWith>[0];

/** In English; that each of them is said in Russian, too, is looked at here. */
async function found(planted: Planted): Promise<readonly FindingText[]> {
  const findings = await examine(depsWith(planted));
  for (const finding of findings) {
    const well = finding.severity === "ok";
    const { found: what, means, next } = finding;
    assert.equal(means === null, well, what.en);
    assert.equal(next === null, well, what.en);
    for (const words of [what, means, next])
      if (words !== null && !SAME.test(words.en)) assert.match(words.ru, /[а-яё]/, words.en);
  }
  return findings.map((finding) => findingText(finding, "en"));
}

/** Commands alone are the same in every language. */
const SAME = /^(ALTER SYSTEM|chmod )/;

/** The one finding of that check and severity whose words these are. */
function assertFound(
  findings: readonly FindingText[],
  check: FindingText["check"],
  severity: FindingText["severity"],
  words: RegExp,
): void {
  assert.ok(
    findings.some(
      (each) => each.check === check && each.severity === severity && words.test(each.found),
    ),
    `no ${severity} of ${check} says ${words}:\n${findings.map((each) => `${each.severity} ${each.check} ${each.found}`).join("\n")}`,
  );
}

test("a healthy installation has no warning, and every check says something", async () => {
  // The throw-away cluster trades safety for speed unless it is told not to.
  const findings = (await found({})).filter(
    ({ found: line }) => !/fsync=off|page_writes=off/.test(line),
  );
  assert.deepEqual(
    findings.filter(
      ({ severity }) => SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf("warning"),
    ),
    [],
  );
  const silent = ["database", "migrations", "clock", "storage", "disk", "mail", "catalogue"].filter(
    (check) => !findings.some((each) => each.check === check && each.severity === "ok"),
  );
  assert.deepEqual(silent, []);
});

test("a replica that is none, and one that is away, are warnings, and its password is in no line", async () => {
  const installation = { databaseReplicaUrl: "postgresql://tollgate:s3cret-of-ours@standby/db" };
  assertFound(await found({ installation }), "replica", "warning", /replays no log/);
  const openReplica = (): Promise<never> =>
    Promise.reject(new Error("connect ECONNREFUSED for s3cret-of-ours"));
  const findings = await found({ installation, deps: { openReplica } });
  assertFound(findings, "replica", "warning", /cannot be read: connect ECONNREFUSED/);
  assert.ok(!JSON.stringify(findings).includes("s3cret-of-ours"));
});

test("a database that cannot be reached is an error, and the rest is looked at all the same", async () => {
  const openDatabase = (): Promise<never> =>
    Promise.reject(new Error("the database cannot be reached: connect ECONNREFUSED"));
  const findings = await found({ deps: { openDatabase } });
  assertFound(findings, "database", "error", /cannot be reached/);
  assertFound(findings, "storage", "ok", /written, read and removed/);
  assertFound(findings, "upstreams", "ok", /can be reached/);
});

test("migrations that are missing are named, and those that are not ours are refused", async () => {
  const [last] = await database.db.query<{ name: string }>(
    "SELECT name FROM migrations.applied ORDER BY number DESC LIMIT 1",
  );
  const kept = await database.db.query<{ number: number; name: string; checksum: string }>(
    "DELETE FROM migrations.applied WHERE name = $1 RETURNING number, name, checksum",
    [last?.name],
  );
  try {
    assertFound(await found({}), "migrations", "warning", new RegExp(last?.name ?? "-"));
  } finally {
    for (const { number, name, checksum } of kept)
      await database.db.query(
        "INSERT INTO migrations.applied (number, name, checksum) VALUES ($1, $2, $3)",
        [number, name, checksum],
      );
  }
  await database.db.query(
    "INSERT INTO migrations.applied (number, name, checksum) VALUES (9999, '9999_later.sql', 'x')",
  );
  const letRun = (oldest: string): Promise<unknown> =>
    database.db.query("UPDATE migrations.applied SET oldest_version = $1 WHERE number = 9999", [
      oldest,
    ]);
  try {
    assertFound(await found({}), "migrations", "error", /newer than this code/);
    await letRun("0.2.0");
    assertFound(await found({}), "migrations", "error", /older than 0\.2\.0 may run/);
    await letRun("0.1.0");
    assertFound(await found({}), "migrations", "note", /may run: 9999_later\.sql/);
  } finally {
    await database.db.query("DELETE FROM migrations.applied WHERE number = 9999");
  }
});

test("clocks that are apart are told from a slow answer", async () => {
  const clockOff = (ms: number): Planted => ({
    deps: { clock: { ...systemClock, now: () => new Date(Date.now() + ms) } },
  });
  assertFound(await found(clockOff(5_000)), "clock", "warning", /[45]\d{3} ms apart/);
  assertFound(await found(clockOff(-60_000)), "clock", "error", /\d{5} ms apart/);
});

test("a ledger that did not agree, parked receipts and mail that waits are found", async () => {
  await database.db.query(
    `INSERT INTO operate.verifications (verification_id, owner_id, started_at, finished_at, checked, mismatch_count, mismatches)
     VALUES ($1, $2, now(), now(), '{"accounts":1,"budgets":0,"holds":0,"entries":1}', 2, '[]')`,
    [newUuid(), newUuid()],
  );
  await database.db.query(
    "INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES (0, 'planted', '{}')",
  );
  const mailId = await enqueueMail(database.db, createSeal(SESSION_SECRET), {
    to: "anna@example.com",
    kind: "verify",
    subject: "s",
    text: "t",
    html: null,
  });
  await database.db.query(
    "UPDATE mail.outbox SET created_at = now() - interval '1 hour' WHERE mail_id = $1",
    [mailId],
  );
  const findings = await found({});
  await database.db.query("DELETE FROM operate.verifications");
  await database.db.query("DELETE FROM usage.parked");
  await database.db.query("DELETE FROM mail.outbox");
  assertFound(findings, "books", "error", /did not agree in 2 places/);
  assertFound(findings, "books", "warning", /1 receipts are parked/);
  assertFound(findings, "mail", "warning", /1 mails have waited/);
});

test("a storage that cannot be written is found, and a probe leaves no file", async () => {
  const file = join(folder, "not-a-folder");
  writeFileSync(file, "");
  const findings = await found({ installation: { storageUrl: `file:${file}` } });
  assertFound(findings, "storage", "error", /cannot be used/);
});

test("a folder for files that is not there is not made by who asks", async () => {
  const files = join(folder, "later", "files");
  const findings = await found({ installation: { storageUrl: `file:${files}` } });
  assertFound(findings, "storage", "ok", /not there yet/);
  assert.equal(existsSync(join(folder, "later")), false);
});

test("a disk that is nearly full, of bytes or of files, is found", async () => {
  const withRoom = (room: Partial<typeof PLENTY>): Planted => ({
    deps: { roomOf: async () => ({ ...PLENTY, ...room }) },
  });
  assertFound(await found(withRoom({ freeBytes: 1e9 })), "disk", "error", /1\.0 of 900\.0 GB/);
  assertFound(await found(withRoom({ freeBytes: 9e9 })), "disk", "warning", /9\.0 of/);
  assertFound(await found(withRoom({ freeFiles: 10 })), "disk", "error", /10 more files/);
});

test("a mail server that is not there, and a sender that is none, are found", async () => {
  const smtpUrl = `smtp://anna:geheim-und-lang@127.0.0.1:${port}`;
  const findings = await found({ installation: { smtpUrl, mailFrom: "Tollgate" } });
  assertFound(findings, "mail", "error", /does not take mail/);
  assertFound(findings, "mail", "error", /MAIL_FROM has no address/);
  assert.ok(!JSON.stringify(findings).includes("geheim-und-lang"));
});

test("a payment provider that refuses us, and reports that cannot come, are found", async () => {
  await using refusing = await startRefusing();
  const payments = (baseUrl: string): Planted["installation"] => ({
    payments: { baseUrl, shopId: "shop", secretKey: "live_0a9b8c7d6e5f4a3b" },
  });
  const findings = await found({ installation: { ...payments(refusing.url) } });
  assertFound(findings, "payments", "error", /status 401/);
  assertFound(findings, "payments", "warning", /cannot report payments/);
  const pair = Buffer.from("shop:live_0a9b8c7d6e5f4a3b").toString("base64").replace(/=+$/, "");
  for (const secret of ["live_0a9b8c7d6e5f4a3b", pair])
    assert.ok(!JSON.stringify(findings).includes(secret), secret);
  const well = await found({ installation: { ...payments(upstream.url) } });
  assertFound(well, "payments", "ok", /takes our credentials/);
});

test("a bot's token that Telegram does not take, a webhook of another program and messages that wait are found", async () => {
  const botToken = "7700112233:a-token-of-the-tests-0123456789-abcdef";
  await using telegram = await startTelegram(botToken);
  const bot = (token: string, apiUrl = telegram.url): Planted => ({
    installation: { telegram: { botToken: token, apiUrl } },
  });
  assertFound(await found({}), "telegram", "note", /TELEGRAM_BOT_TOKEN is not set/);
  assertFound(await found(bot(botToken)), "telegram", "ok", /takes the token of @alerts_bot/);
  const wrong = `${botToken.slice(0, -1)}X`;
  const refused = await found(bot(wrong));
  assertFound(refused, "telegram", "error", /401: Unauthorized/);
  const away = await found(bot(botToken, `http://127.0.0.1:${port}`));
  assertFound(away, "telegram", "error", /does not take the bot's token/);
  for (const findings of [refused, away])
    assert.ok(!JSON.stringify(findings).includes("a-token-of-the-tests"));
  telegram.setWebhook("https://elsewhere.example/hook");
  const messageId = await enqueueMessage(database.db, createSeal(SESSION_SECRET), {
    memberId: null,
    chatId: 1n,
    text: "t",
  });
  await database.db.query(
    "UPDATE telegram.messages SET created_at = now() - interval '1 hour' WHERE message_id = $1",
    [messageId],
  );
  const findings = await found(bot(botToken));
  await database.db.query("DELETE FROM telegram.messages");
  assertFound(findings, "telegram", "error", /@alerts_bot has a webhook/);
  assertFound(findings, "telegram", "warning", /1 messages have waited/);
});

/** A provider that echoes what it was shown. */
async function startRefusing(): Promise<ScriptedUpstream & AsyncDisposable> {
  const server = await startScriptedUpstream((exchange) => {
    const shown = exchange.request.headers.authorization ?? "";
    exchange.json(401, { code: "invalid_credentials", description: `refused: ${shown}` });
  });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

test("a collector that is away, that speaks another protocol, lies elsewhere or refuses us is found, and its token is in no line", async () => {
  const token = "collectors-own-0123456789abcdef";
  // Takes metrics alone, and repeats what it was shown.
  const collector = await startScriptedUpstream(({ request, json }) => {
    const shown = request.headers.authorization ?? "nothing";
    if (shown !== `Bearer ${token}`) json(401, { message: `not you: ${shown}` });
    else json(request.path === "/otlp/v1/metrics" ? 200 : 404, { shown });
  });
  const tell = async (
    otlpEndpoint: string,
    { bearer = token, signals = {} }: { bearer?: string; signals?: object } = {},
  ): Promise<readonly FindingText[]> => {
    const findings = await found({
      installation: {
        otlpEndpoint,
        otlpHeaders: { authorization: `Bearer ${bearer}` },
        otelSignals: { traces: true, metrics: true, logs: true, ...signals },
      },
    });
    for (const secret of [token, bearer, "password-of-the-collector"])
      assert.ok(!JSON.stringify(findings).includes(secret), secret);
    return findings.filter(({ check }) => check === "collector");
  };
  try {
    const base = `${collector.url}/otlp`;
    const some = await tell(base);
    assertFound(some, "collector", "ok", /\/otlp\/v1\/metrics takes metrics$/);
    assertFound(some, "collector", "warning", /\/v1\/… does not take traces, logs: status 404/);
    assert.match(some.find(({ next }) => next !== null)?.next ?? "", /base address/);
    const sent = collector.requests.at(-1);
    assert.match(String(sent?.body), /^\{"resource\w+":\[\]\}$/, "an export of nothing");
    const metricsAlone = await tell(base, { signals: { traces: false, logs: false } });
    assert.deepEqual(
      metricsAlone.map(({ severity }) => severity),
      ["ok"],
    );
    const refused = await tell(base, { bearer: "another-token-0123456789" });
    assertFound(refused, "collector", "warning", /does not take traces, metrics, logs: status 401/);
    assert.match(refused[0]?.next ?? "", /OTEL_EXPORTER_OTLP_HEADERS/);
    const away = await tell(`http://operator:password-of-the-collector@127.0.0.1:${port}`);
    assertFound(away, "collector", "warning", /traces, metrics, logs: .*ECONNREFUSED/);
    const { port: encrypted } = tls.address() as AddressInfo;
    const untrusted = await tell(`https://127.0.0.1:${encrypted}`);
    assertFound(untrusted, "collector", "warning", /self-signed certificate/);
    assert.match(untrusted[0]?.next ?? "", /NODE_EXTRA_CA_CERTS/);
    const plain = await tell(collector.url.replace("http:", "https:"));
    assertFound(plain, "collector", "warning", /does not take traces, metrics, logs: /);
    assert.match(plain[0]?.next ?? "", /begins with http:/);
    const nothing = await tell(base, { signals: { traces: false, metrics: false, logs: false } });
    assertFound(nothing, "collector", "note", /each signal is left out/);
  } finally {
    await collector.close();
  }
});

test("a catalogue that cannot be used, and one that sells below cost, are found", async () => {
  const unset = `\${NOT_SET_ANYWHERE}`;
  await using _broken = await applied(catalogueOf(unset));
  assertFound(await found({}), "catalogue", "error", /NOT_SET_ANYWHERE/);
  await using _cheap = await applied(catalogueOf(upstream.url, { price: "50" }));
  assertFound(await found({}), "catalogue", "warning", /below cost: m/);
});

test("an upstream without its credential, or that does not answer, is found", async () => {
  assertFound(await found({ deps: { env: {} } }), "upstreams", "error", /UPSTREAM_KEY is not set/);
  await using _gone = await applied(catalogueOf(`http://127.0.0.1:${port}`));
  const asked = upstream.requests.length;
  assertFound(await found({}), "upstreams", "error", /cannot be reached/);
  assert.equal(upstream.requests.length, asked, "not one request was sent to any of them");
});

test("a sandbox that does not run is no fault of an upstream, and a warning where customers are served", async () => {
  await using _sandbox = await applied(catalogueOf(`http://127.0.0.1:${port}`));
  const wish = { sandboxPort: port };
  assertFound(await found({ installation: wish }), "upstreams", "note", /sandbox does not run/);
  const serving = await found({ installation: { ...wish, production: true } });
  assertFound(serving, "upstreams", "warning", /sandbox does not run/);
});

test("routes that running processes pass over are found", async () => {
  const routes = new Map([["up/m", 2]]);
  await tellCircuits(database.db, { processId: newUuid(), label: "planted", routes });
  const findings = await found({});
  await database.db.query("DELETE FROM operate.processes");
  assertFound(findings, "upstreams", "warning", /up\/m is passed over/);
});

test("certificates that are not believed, or that end soon, are found", async () => {
  const address = `https://127.0.0.1:${(tls.address() as AddressInfo).port}`;
  await using _own = await applied(catalogueOf(address));
  assertFound(await found({}), "certificates", "error", /not believed: .*SELF_SIGNED/);
  const endsIn = (days: number): Planted => ({
    deps: {
      probe: async () => ({
        kind: "reached",
        ms: 1,
        certificate: {
          validTo: new Date(Date.now() + days * DAY_MS + DAY_MS / 2),
          distrust: null,
        },
      }),
    },
  });
  assertFound(await found(endsIn(10)), "certificates", "warning", /10 days/);
  assertFound(await found(endsIn(1)), "certificates", "error", /1 days/);
  assertFound(await found(endsIn(80)), "certificates", "ok", /80 days/);
});

test("an address without TLS, proxies that are not told of, and a foreign answer are found", async () => {
  // No name of this test is asked for: the way out answers for all of them.
  const answering = (status: number, body: unknown): Partial<DoctorDeps> => ({
    outgoing: {
      send(_request, sink) {
        queueMicrotask(() => {
          sink.onHeaders(status, {});
          sink.onData(Buffer.from(JSON.stringify(body)));
          sink.onEnd();
        });
        return { abort() {}, pause() {}, resume() {} };
      },
      close: async () => undefined,
    },
    probe: async () => ({ kind: "unreached", reason: "not asked" }),
  });
  const outside = { production: true, baseUrl: "https://api.example.com" };
  const foreign = await found({ deps: answering(200, "shop"), installation: outside });
  assertFound(foreign, "proxy", "warning", /TRUSTED_PROXIES is empty/);
  assertFound(foreign, "proxy", "error", /not as a gateway/);
  const ours = await found({
    deps: answering(200, { status: "ok" }),
    installation: { ...outside, trustedProxies: ["127.0.0.1"] },
  });
  assertFound(ours, "proxy", "ok", /leads to a gateway/);
  const plain = { production: true, baseUrl: "http://api.example.com" };
  const bare = await found({ deps: answering(502, {}), installation: plain });
  assertFound(bare, "proxy", "error", /not encrypted/);
  const unset = { production: true, baseUrl: null };
  assertFound(await found({ installation: unset }), "proxy", "warning", /BASE_URL is not set/);
});

test("secrets that can be guessed, were copied wrongly or lie open are found and not told", async () => {
  const envFile = join(folder, "open.env");
  writeFileSync(envFile, "");
  chmodSync(envFile, 0o644);
  const guessed = "changeme".repeat(4);
  const findings = await found({
    deps: { envFile, env: { UPSTREAM_KEY: ` ${CREDENTIAL}` } },
    installation: {
      production: true,
      sessionSecret: guessed,
      databaseUrl: "postgresql://tollgate:tollgate@127.0.0.1/tollgate",
    },
  });
  assertFound(findings, "secrets", "error", /SESSION_SECRET is a placeholder/);
  assertFound(findings, "secrets", "warning", /DATABASE_URL is short/);
  assertFound(findings, "secrets", "warning", /UPSTREAM_KEY has spaces/);
  assertFound(findings, "secrets", "warning", /other users/);
  assert.ok(!JSON.stringify(findings).includes(guessed));
});

test("backups that are missing or old are found", async () => {
  const backups = join(folder, "backups");
  mkdirSync(join(backups, "2026-01-01.partial"), { recursive: true });
  assertFound(await found({ deps: { backups } }), "backups", "error", /there is no backup/);
  const old = join(backups, "2026-01-01");
  mkdirSync(old);
  const moment = new Date(Date.now() - 3 * DAY_MS);
  utimesSync(old, moment, moment);
  assertFound(await found({ deps: { backups } }), "backups", "warning", /72 hours old/);
  mkdirSync(join(backups, "2026-01-02"));
  assertFound(await found({ deps: { backups } }), "backups", "ok", /0 hours old/);
});

test("what stands still is a line and not a wait, and an answer that shows a secret does not show it", async () => {
  const still = await found({
    deps: { deadlineMs: 50, checkMailServer: () => new Promise(() => undefined) },
  });
  assertFound(still, "mail", "warning", /did not end within 0\.05 s/);
  const telling = await found({
    deps: {
      probe: async () => ({ kind: "unreached", reason: `no place for ${CREDENTIAL} here` }),
    },
  });
  assertFound(telling, "upstreams", "error", /no place for •••••• here/);
  assert.ok(!JSON.stringify(telling).includes(CREDENTIAL));
});
