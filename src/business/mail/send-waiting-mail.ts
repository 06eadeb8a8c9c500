/** Sends the mail that waits: what fails is tried again, less and less often, until it is given up. */
import type { Db } from "../../db/database.ts";
import { backoffMs, type Backoff } from "../../kernel/backoff.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { MailOutcome, MailSender, OutgoingMail } from "../../net/send-mail.ts";
import { claimMail, noteMailFailed, noteMailSent, type ClaimedMail } from "./outbox.store.ts";
import { writeMailFile } from "./write-mail-file.ts";

/** Names the mail, and has no word of what it says. */
export interface AboutMail {
  readonly mailId: string;
  readonly kind: string;
  readonly to: string;
}

/** What became of a try. */
export type MailTried =
  | { readonly kind: "sent" }
  /** Nothing sends mail here: a developer reads it there. */
  | { readonly kind: "written"; readonly file: string }
  | { readonly kind: "failed" | "given-up"; readonly attempts: number; readonly error: string }
  /** Sealed with another secret: its text is lost. */
  | { readonly kind: "unreadable" };

export interface MailWorkDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly seal: Seal;
  /** Null: mail becomes files in `dataDir`. */
  readonly sender: MailSender | null;
  /** What mails are from at this moment; null: as the sender was made. */
  senderName(): Promise<string | null>;
  readonly dataDir: string;
  onTried(about: AboutMail, tried: MailTried): void;
}

const AT_ONCE = 4;
/** Longer than the sender's own patience for as many. */
const CLAIM_SECONDS = 300;
/**
 * Between attempts: half a minute, a minute, two, … about an hour; the last one comes after about
 * half a day.
 */
const RETRY: Backoff = { firstMs: 30_000, longestMs: 3_600_000 };
const MOST_ATTEMPTS = 18;

/** Resolves when nothing that is due is left. */
export async function sendWaitingMail(deps: MailWorkDeps): Promise<void> {
  for (;;) {
    const claimed = await claimMail(deps.db, deps.seal, { most: AT_ONCE, seconds: CLAIM_SECONDS });
    if (claimed.length === 0) return;
    const senderName = await deps.senderName();
    for (const mail of claimed) await sendOne(deps, mail, senderName);
    if (claimed.length < AT_ONCE) return;
  }
}

async function sendOne(
  deps: MailWorkDeps,
  mail: ClaimedMail,
  senderName: string | null,
): Promise<void> {
  const { db, sender } = deps;
  const { mailId, kind, to, content, attempts } = mail;
  const tell = (tried: MailTried): void => deps.onTried({ mailId, kind, to }, tried);
  if (content === null) {
    const error = "sealed by another SESSION_SECRET";
    await noteMailFailed(db, { mailId, error, retrySeconds: null });
    return tell({ kind: "unreadable" });
  }
  const outgoing: OutgoingMail = { ...content, to, id: mailId, senderName };
  const outcome: MailOutcome = sender === null ? { kind: "sent" } : await sender.send(outgoing);
  if (outcome.kind === "sent") {
    // Told before it is noted: a mail that is out is known to be, also where the note fails.
    if (sender === null)
      tell({ kind: "written", file: writeMailFile(deps.dataDir, outgoing, deps.clock.now()) });
    else tell(outcome);
    return noteMailSent(db, mailId);
  }
  const { reason: error, forGood } = outcome;
  const givenUp = forGood || attempts >= MOST_ATTEMPTS;
  await noteMailFailed(db, { mailId, error, retrySeconds: givenUp ? null : retryAfter(attempts) });
  tell({ kind: givenUp ? "given-up" : "failed", attempts, error });
}

function retryAfter(attempts: number): number {
  return Math.round(backoffMs(attempts - 1, RETRY, Math.random) / 1000);
}
