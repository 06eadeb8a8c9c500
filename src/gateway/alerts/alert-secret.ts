/** The secret that an account's alert webhooks are signed with: shown once, when it is changed. */
import { replaceSecret, secretMadeAt } from "../../alerts/secrets.store.ts";
import type { AlertSecret, AlertSecretStatus } from "../../contract/panel/alert.ts";
import type { Db } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newWebhookSecret } from "../webhooks/sign-webhook.ts";

/** For so long the one before signs as well, so that receivers can follow. */
const PREVIOUS_HOURS = 24;

export async function readAlertSecret(db: Db, accountId: Uuid): Promise<AlertSecretStatus> {
  const madeAt = await secretMadeAt(db, accountId);
  return { exists: madeAt !== null, createdAt: madeAt?.toISOString() ?? null };
}

export async function changeAlertSecret(db: Db, accountId: Uuid): Promise<AlertSecret> {
  const secret = newWebhookSecret();
  await replaceSecret(db, accountId, secret, PREVIOUS_HOURS);
  return { secret };
}
