/** Tells the log and the metrics what became of a mail: to whom and what kind, never what it says. */
import type { AboutMail, MailTried } from "../business/mail/send-waiting-mail.ts";
import type { Metrics } from "./metrics.ts";
import type { RequestLogger } from "./request-log.ts";

export function reportMail(
  log: Pick<RequestLogger, "info" | "warn" | "error">,
  metrics: Pick<Metrics, "suspicious">,
): (about: AboutMail, tried: MailTried) => void {
  return (about, { kind, ...more }) => {
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
  };
}
