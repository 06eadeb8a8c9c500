/**
 * Guards the sending of mail, on real PostgreSQL and SMTP: what waits goes out once, what fails is
 * tried again or given up, and the log has no word of it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { startSmtpServer } from "../../../test/support/smtp-server.ts";
import { until } from "../../../test/support/until.ts";
import { createMetrics } from "../../http/metrics.ts";
import { systemClock } from "../../kernel/clock.ts";
import { createSeal } from "../../kernel/seal.ts";
import { enqueueMail } from "../../business/mail/outbox.store.ts";
import { readConfig } from "../../config/config.ts";
import { workMail } from "./work-mail.ts";

const SECRET = "a secret of at least thirty-two characters";
const seal = createSeal(SECRET);
const MAIL = {
  to: "anna@example.test",
  kind: "reset",
  subject: "Новый пароль",
  text: "Откройте https://x.test/panel/reset#token=xyzzy\n",
  html: "<p>xyzzy</p>",
};
let database: TestDatabase;
let folder: string;
before(async () => {
  database = await testDatabase();
  folder = mkdtempSync(join(tmpdir(), "mail-"));
});
after(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});
beforeEach(() => database.db.query("DELETE FROM mail.outbox"));

interface Row {
  readonly state: string;
  readonly attempts: number;
  readonly error: string | null;
}

const rows = (): Promise<Row[]> =>
  database.db.query<Row>(
    `SELECT CASE WHEN sent_at IS NOT NULL THEN 'sent' WHEN failed_at IS NOT NULL THEN 'failed' ELSE 'waiting' END AS state, attempts, last_error AS error
     FROM mail.outbox ORDER BY mail_id`,
  );

function start(smtpUrl: string | null): { lines: string[]; stop(): Promise<void> } {
  const lines: string[] = [];
  const reading = readConfig(
    {
      DATA_DIR: folder,
      MAIL_FROM: "Tollgate <no-reply@tollgate.test>",
      ...(smtpUrl === null ? {} : { SMTP_URL: smtpUrl }),
    },
    "/",
    "/",
  );
  assert.ok(reading.ok);
  const level = (fields: object | string, message?: string): void =>
    void lines.push(JSON.stringify([fields, message]));
  const log = { fatal: level, error: level, warn: level, info: level, debug: level };
  const { config } = reading;
  // Each process has its own.
  const metrics = createMetrics();
  const work = workMail({
    config,
    db: database.db,
    clock: systemClock,
    log,
    metrics,
    sessionSecret: SECRET,
    onError: (what, error) => lines.push(`${what}: ${String(error)}`),
  });
  return {
    lines,
    async stop() {
      await work.stop();
      metrics.close();
    },
  };
}

test("what waits goes out to its one recipient, once, whichever of several processes has it", async () => {
  await using smtp = await startSmtpServer();
  const workers = [start(smtp.url), start(smtp.url)];
  const ids = await Promise.all(
    Array.from({ length: 9 }, (_, index) =>
      enqueueMail(database.db, seal, { ...MAIL, to: `anna${index}@example.test` }),
    ),
  );
  await until("all mails are sent", async () =>
    (await rows()).every(({ state }) => state === "sent"),
  );
  await Promise.all(workers.map((worker) => worker.stop()));
  assert.deepEqual(
    smtp.mails.map(({ to }) => to.join()).toSorted(),
    ids.map((_, index) => `anna${index}@example.test`),
  );
  const [mail = ""] = smtp.mails.map(({ source }) => source);
  assert.match(mail, /^From: Tollgate <no-reply@tollgate\.test>$/m);
  assert.match(mail, /^Subject: =\?UTF-8\?/m);
  assert.ok(ids.some((id) => mail.includes(`Message-ID: <${id}@tollgate.test>`)));
  assert.match(mail, /multipart\/alternative/);
  const log = workers.flatMap(({ lines }) => lines).join("");
  assert.match(log, /"mail sent"/);
  assert.doesNotMatch(log, /token|xyzzy|пароль/);
});

test("the sender's name is what the operator says at that moment, beside the same address", async () => {
  await using smtp = await startSmtpServer();
  await database.db.query(
    `INSERT INTO installation.settings (version, settings, changed_by) VALUES (1, $1, 'a test')`,
    [JSON.stringify({ brand: { mailSender: 'Astra "x" <evil@example.test>' } })],
  );
  const worker = start(smtp.url);
  await enqueueMail(database.db, seal, MAIL);
  await until("it is sent", async () => smtp.mails.length > 0);
  await worker.stop();
  const from = /^From: (.*)$/m.exec(smtp.mails[0]?.source ?? "")?.[1] ?? "";
  assert.match(from, /^"Astra .*" <no-reply@tollgate\.test>$/);
});

test("names and addresses that try to be more recipients or headers are none", async () => {
  await using smtp = await startSmtpServer();
  const worker = start(smtp.url);
  await enqueueMail(database.db, seal, {
    ...MAIL,
    subject: "Invitation: x\r\nBcc: evil@example.test",
  });
  await enqueueMail(database.db, seal, { ...MAIL, to: "a@example.test, evil@example.test" });
  await until("both are over or tried", async () =>
    (await rows()).every(({ state, attempts }) => state !== "waiting" || attempts > 0),
  );
  await until("one is sent", async () => smtp.mails.length > 0);
  await worker.stop();
  assert.ok(
    smtp.mails.every(
      ({ to, source }) => !to.includes("evil@example.test") && !/^Bcc:/im.test(source),
    ),
  );
});

test("a server that says later is asked again; one that says never is believed", async () => {
  await using smtp = await startSmtpServer();
  smtp.answerToRecipient = (address) =>
    address.startsWith("never") ? "550 no such mailbox" : "451 try again";
  const worker = start(smtp.url);
  for (const to of ["later@example.test", "never@example.test"])
    await enqueueMail(database.db, seal, { ...MAIL, to });
  await until("both were tried", async () => (await rows()).every(({ error }) => error !== null));
  const [later, never] = await rows();
  assert.deepEqual([later?.state, never?.state], ["waiting", "failed"]);
  smtp.answerToRecipient = () => "250 ok";
  await database.db.query(
    "UPDATE mail.outbox SET due_at = clock_timestamp() WHERE sealed IS NOT NULL",
  );
  await until("the patient one is sent", async () => (await rows())[0]?.state === "sent");
  await worker.stop();
  assert.deepEqual(
    smtp.mails.map(({ to }) => to.join()),
    ["later@example.test"],
  );
  assert.match(worker.lines.join(""), /a mail was given up/);
});

test("without a server it becomes a readable file for this user alone, and the log says where", async () => {
  const worker = start(null);
  await enqueueMail(database.db, seal, { ...MAIL, to: "../../анна/x@example.test" });
  await until("it is written", async () => (await rows())[0]?.state === "sent");
  await worker.stop();
  const [name = ""] = readdirSync(join(folder, "mail"));
  const path = join(folder, "mail", name);
  assert.match(
    readFileSync(path, "utf8"),
    /^To: .*\nSubject: Новый пароль\nDate: .*\nContent-Type: .*\n\nОткройте https:\/\/x\.test\/panel\/reset#token=xyzzy\n$/,
  );
  assert.equal(statSync(path).mode & 0o077, 0);
  assert.ok(worker.lines.join("").includes(path));
  assert.doesNotMatch(worker.lines.join(""), /token|Откройте/);
});
