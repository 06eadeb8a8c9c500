/** The secret that an account's webhooks are signed with: shown, or changed so that its receivers can follow. */
import { findAccount } from "../../accounts/store.ts";
import type { Db } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { changeWebhookSecret, webhookSecrets, type WebhookSecrets } from "../../tasks/webhook-secrets.store.ts";
import { newWebhookSecret } from "../webhooks/sign-webhook.ts";

/** For so long the secret before signs as well. */
const PREVIOUS_SECONDS = 24 * 3600;

/** Null: there is no such account. `change`: `now` gives the secret before up at once, for one that leaked. */
export async function webhookSecret(db: Db, accountId: Uuid, change: "none" | "soft" | "now"): Promise<WebhookSecrets | null> {
  if ((await findAccount(db, accountId)) === null) return null;
  const fresh = newWebhookSecret();
  if (change === "none") return webhookSecrets(db, accountId, fresh);
  return changeWebhookSecret(db, { accountId, secret: fresh, previousSeconds: change === "now" ? 0 : PREVIOUS_SECONDS });
}
