/** Sends the mail that waits. */
import { backoffMs, type Backoff } from "../../kernel/backoff.ts";
import { createSeal, type Seal } from "../../kernel/seal.ts";
import {
  claimMail,
  noteMailFailed,
  noteMailSent,
  sweepMail,
  type ClaimedMail,
} from "../../business/mail/outbox.store.ts";
import {
  createMailSender,
  type MailOutcome,
  type MailSender,
  type OutgoingMail,
} from "../../net/send-mail.ts";
import type { Config } from "../../config/config.ts";
import { every } from "../every.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";
import { writeMailFile } from "./write-mail-file.ts";

type Deps = Pick<
  PanelWorkDeps,
  "config" | "db" | "clock" | "log" | "metrics" | "sessionSecret" | "onError"
>;

/** A link that a member waits for is out within about a second. */
const BEAT_MS = 700;
const AT_ONCE = 4;
/** Longer than the sender's own patience for as many. */
const CLAIM_SECONDS = 300;
/**
 * Between attempts: half a minute, a minute, two, … about an hour; the last one comes after about
 * half a day.
 */
const RETRY: Backoff = { firstMs: 30_000, longestMs: 3_600_000 };
const MOST_ATTEMPTS = 18;
const SWEEP_MS = 3_600_000;
const KEPT_DAYS = 30;

/** To be stopped; what is under way is finished. */
export function workMail(deps: Deps): { stop(): Promise<void> } {
  const seal = createSeal(deps.sessionSecret);
  const sender =
    deps.config.smtpUrl === null
      ? null
      : createMailSender(deps.config.smtpUrl, senderOf(deps.config));
  const beat = every(
    BEAT_MS,
    () => sendWaiting(deps, seal, sender),
    (error) => deps.onError("waiting mail could not be sent", error),
  );
  const sweep = every(
    SWEEP_MS,
    () => sweepMail(deps.db, KEPT_DAYS),
    (error) => deps.onError("old mail could not be removed", error),
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

async function sendWaiting(deps: Deps, seal: Seal, sender: MailSender | null): Promise<void> {
  for (;;) {
    const claimed = await claimMail(deps.db, seal, { most: AT_ONCE, seconds: CLAIM_SECONDS });
    for (const mail of claimed) await sendOne(deps, sender, mail);
    if (claimed.length < AT_ONCE) return;
  }
}

/** The log has the mail's name, kind and recipient, and no word of what it says. */
async function sendOne(
  { db, config, clock, log, metrics }: Deps,
  sender: MailSender | null,
  mail: ClaimedMail,
): Promise<void> {
  const { mailId, kind, to, content } = mail;
  const about = { mailId, kind, to };
  if (content === null) {
    await noteMailFailed(db, {
      mailId,
      error: "sealed by another SESSION_SECRET",
      retrySeconds: null,
    });
    log.error(about, "a mail cannot be read any more: SESSION_SECRET was changed while it waited");
    return;
  }
  const outgoing: OutgoingMail = { ...content, to, id: mailId };
  const outcome: MailOutcome = sender === null ? { kind: "sent" } : await sender.send(outgoing);
  if (outcome.kind === "sent") {
    if (sender === null)
      log.info(
        { ...about, file: writeMailFile(config.dataDir, outgoing, clock.now()) },
        "mail written to a file: SMTP_URL is not set",
      );
    else log.info(about, "mail sent");
    return noteMailSent(db, mailId);
  }
  const { reason: error, forGood } = outcome;
  const givenUp = forGood || mail.attempts >= MOST_ATTEMPTS;
  await noteMailFailed(db, {
    mailId,
    error,
    retrySeconds: givenUp ? null : retryAfter(mail.attempts),
  });
  if (givenUp) metrics.suspicious("mail_given_up");
  log[givenUp ? "error" : "warn"](
    { ...about, attempts: mail.attempts, error },
    givenUp ? "a mail was given up" : "a mail could not be sent yet",
  );
}

function retryAfter(attempts: number): number {
  return Math.round(backoffMs(attempts - 1, RETRY, Math.random) / 1000);
}
