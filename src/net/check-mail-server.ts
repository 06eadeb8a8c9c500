/** Whether a mail server takes our log-in: it is greeted and left again, and no mail is sent. */
import { createTransport } from "nodemailer";

export type MailServerCheck =
  | { readonly kind: "accepts" }
  | { readonly kind: "refuses"; readonly reason: string };

/** Never rejects. The reason is the server's or the system's word. */
export async function checkMailServer(
  smtpUrl: string,
  deadlineMs: number,
): Promise<MailServerCheck> {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: deadlineMs,
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.verify();
    return { kind: "accepts" };
  } catch (error) {
    return { kind: "refuses", reason: error instanceof Error ? error.message : String(error) };
  } finally {
    transport.close();
  }
}
