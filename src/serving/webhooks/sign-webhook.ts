/**
 * Signs a webhook by the Standard Webhooks scheme
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
import { createHmac, randomBytes } from "node:crypto";
import { formatRequestId, type Uuid } from "../../kernel/ids.ts";

const PREFIX = "whsec_";
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

/** `whsec_` and the base64 of the key. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** `msg_…`: the same for every try, so that a receiver knows what it has seen. */
export function webhookMessageId(webhookId: Uuid): string {
  return formatRequestId(webhookId).replace(/^req_/, "msg_");
}

/**
 * The headers of one try. Several secrets: receivers accept what any of them signed. `at`: when it
 * is sent, not when it happened.
 */
export function signWebhook(
  secrets: readonly string[],
  message: { readonly id: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  const seconds = Math.floor(message.at.getTime() / 1000);
  const signed = `${message.id}.${seconds}.${message.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
