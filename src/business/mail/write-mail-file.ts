/**
 * Where no SMTP server is configured, mail becomes files that a developer reads:
 * `DATA_DIR/mail/<time>-<to>.eml`.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OutgoingMail } from "../../net/send-mail.ts";

/** Readable by this user alone: it holds links that open accounts. Returns its path. */
export function writeMailFile(dataDir: string, mail: OutgoingMail, at: Date): string {
  const folder = join(dataDir, "mail");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const to = mail.to.replaceAll(/[^A-Za-z0-9@._-]/g, "_").slice(0, 100);
  const path = join(
    folder,
    `${at.toISOString().replaceAll(":", "-")}-${to}-${mail.id.slice(-8)}.eml`,
  );
  const head = [
    `To: ${mail.to}`,
    `Subject: ${mail.subject}`,
    `Date: ${at.toUTCString()}`,
    "Content-Type: text/plain; charset=utf-8",
  ];
  // Given its name when it is whole: a reader that waits for it reads all of it.
  writeFileSync(`${path}.part`, `${head.join("\n")}\n\n${mail.text}`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
  return path;
}
