/** Mail that waits, sent every moment: put together with the log, which has no word of what it says. */
import { sweepMail } from "../../business/mail/outbox.store.ts";
import {
  sendWaitingMail,
  type AboutMail,
  type MailTried,
} from "../../business/mail/send-waiting-mail.ts";
import { createSeal } from "../../kernel/seal.ts";
import { createMailSender } from "../../net/send-mail.ts";
import type { Config } from "../../config/config.ts";
import { every } from "../every.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";

type Deps = Pick<
  PanelWorkDeps,
  "config" | "db" | "clock" | "log" | "metrics" | "sessionSecret" | "onError"
>;

/** A link that a member waits for is out within about a second. */
const BEAT_MS = 700;
const SWEEP_MS = 3_600_000;
const KEPT_DAYS = 30;

/** To be stopped; what is under way is finished. */
export function workMail(deps: Deps): { stop(): Promise<void> } {
  const { config, db, clock, onError } = deps;
  const sender =
    config.smtpUrl === null ? null : createMailSender(config.smtpUrl, senderOf(config));
  const work = {
    db,
    clock,
    seal: createSeal(deps.sessionSecret),
    sender,
    dataDir: config.dataDir,
    onTried: (about: AboutMail, tried: MailTried) => report(deps, about, tried),
  };
  const beat = every(
    BEAT_MS,
    () => sendWaitingMail(work),
    (error) => onError("waiting mail could not be sent", error),
  );
  const sweep = every(
    SWEEP_MS,
    () => sweepMail(db, KEPT_DAYS),
    (error) => onError("old mail could not be removed", error),
  );
  return {
    async stop() {
      await Promise.all([beat.stop(), sweep.stop()]);
      sender?.close();
    },
  };
}

function senderOf({ mailFrom, baseUrl }: Config): string {
  return (
    mailFrom ?? `Tollgate <no-reply@${baseUrl === null ? "localhost" : new URL(baseUrl).hostname}>`
  );
}

function report(
  { log, metrics }: Pick<Deps, "log" | "metrics">,
  about: AboutMail,
  { kind, ...more }: MailTried,
): void {
  const fields = { ...about, ...more };
  switch (kind) {
    case "sent":
      return log.info(fields, "mail sent");
    case "written":
      return log.info(fields, "mail written to a file: SMTP_URL is not set");
    case "failed":
      return log.warn(fields, "a mail could not be sent yet");
    case "given-up":
      metrics.suspicious("mail_given_up");
      return log.error(fields, "a mail was given up");
    case "unreadable":
      return log.error(
        fields,
        "a mail cannot be read any more: SESSION_SECRET was changed while it waited",
      );
  }
}
