/** Mail that waits, sent every moment; the log has no word of what it says. */
import { countLateMail, sweepMail } from "../../business/mail/outbox.store.ts";
import { sendWaitingMail } from "../../business/mail/send-waiting-mail.ts";
import { readSettings } from "../../business/settings/read-settings.ts";
import { reportMail } from "../../http/report-mail.ts";
import { createSeal } from "../../kernel/seal.ts";
import { createMailSender } from "../../net/send-mail.ts";
import { repeat, type Repeater } from "../../process/repeat.ts";
import type { Parts } from "../parts.ts";

type MailParts = Pick<
  Parts,
  "config" | "db" | "clock" | "log" | "metrics" | "sessionSecret" | "onError"
>;

/** A link that a member waits for is out within about a second. */
const BEAT_MS = 700;
const COUNT_MS = 15_000;
const SWEEP_MS = 3_600_000;
const KEPT_DAYS = 30;

/** To be stopped; what is under way is finished. */
export function workMail(parts: MailParts): Repeater {
  const { config, db, clock, log, metrics, onError } = parts;
  const sender =
    config.smtpUrl === null ? null : createMailSender(config.smtpUrl, senderOf(config));
  const work = {
    db,
    clock,
    seal: createSeal(parts.sessionSecret),
    sender,
    senderName: async () => (await readSettings(db)).brand.mailSender,
    dataDir: config.dataDir,
    onTried: reportMail(log, metrics),
  };
  let late = 0;
  metrics.watch({
    name: "mail_late",
    help: "Mails that are not out ten minutes after they were written.",
    together: "max",
    read: () => late,
  });
  const repeater = repeat(onError, {
    "waiting mail could not be sent": [BEAT_MS, () => sendWaitingMail(work)],
    "waiting mail could not be counted": [COUNT_MS, async () => (late = await countLateMail(db))],
    "old mail could not be removed": [SWEEP_MS, () => sweepMail(db, KEPT_DAYS)],
  });
  return {
    async stop() {
      await repeater.stop();
      sender?.close();
    },
  };
}

function senderOf({ mailFrom, baseUrl }: Parts["config"]): string {
  return (
    mailFrom ?? `Tollgate <no-reply@${baseUrl === null ? "localhost" : new URL(baseUrl).hostname}>`
  );
}
