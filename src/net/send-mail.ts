/** Sends mail by SMTP: the only way out for mail, with an end to every wait. */

export interface OutgoingMail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Null: text alone. */
  readonly html: string | null;
  /**
   * Names the mail to its reader's program, so that one that is sent twice is shown once: a word
   * that is the mail's own.
   */
  readonly id: string;
  /** Shown beside the sender's address; null: as the sender was made. */
  readonly senderName?: string | null;
}

/** Whether it is worth trying again is the server's word (RFC 5321 §4.2.1: 5yz is for good). */
export type MailOutcome =
  | { readonly kind: "sent" }
  | { readonly kind: "failed"; readonly reason: string; readonly forGood: boolean };

export interface MailSender {
  /** Never throws. */
  send(mail: OutgoingMail): Promise<MailOutcome>;
  close(): void;
}

const CONNECT_MS = 10_000;
/** Without a word from the server. */
const SILENCE_MS = 20_000;
const CONNECTIONS = 2;
const LONGEST_REASON = 300;

/**
 * @param smtpUrl `smtp://user:password@host:587` or `smtps://…`. @param from
 * `Tollgate <no-reply@example.com>`.
 */
export function createMailSender(smtpUrl: string, from: string): MailSender {
  let opened: ReturnType<typeof openTransport> | null = null;
  const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? "tollgate.local";
  const address = /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();
  return {
    async send({ to, subject, text, html, id, senderName = null }) {
      try {
        opened ??= openTransport(smtpUrl, from);
        const transport = await opened;
        await transport.sendMail({
          // An object, so that nothing in the address is taken for a list of them.
          to: { name: "", address: to },
          ...(senderName === null ? {} : { from: { name: senderName, address } }),
          subject,
          text,
          ...(html === null ? {} : { html }),
          messageId: `<${id}@${domain}>`,
          headers: { "auto-submitted": "auto-generated" },
        });
        return { kind: "sent" };
      } catch (error) {
        return { kind: "failed", reason: reasonOf(error), forGood: isForGood(error) };
      }
    },
    close() {
      opened?.then(
        (transport) => transport.close(),
        () => undefined,
      );
    },
  };
}

/** With the first mail: many an installation never sends one, and each of its starts would wait. */
async function openTransport(smtpUrl: string, from: string) {
  const { createTransport } = await import("nodemailer");
  return createTransport(
    {
      url: smtpUrl,
      pool: true,
      maxConnections: CONNECTIONS,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      // Content is ours alone: nothing in it may make the program read a file or an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON);
}

/**
 * The recipient or the message was refused for good; what is wrong with our own log-in or the
 * connection may be mended.
 */
function isForGood(error: unknown): boolean {
  if (!(error instanceof Error) || !("responseCode" in error) || !("code" in error)) return false;
  const { responseCode, code } = error;
  return (
    typeof responseCode === "number" &&
    responseCode >= 500 &&
    (code === "EENVELOPE" || code === "EMESSAGE")
  );
}
