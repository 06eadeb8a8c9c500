/** The secret that an account's alert webhooks are signed with: shown once, when it is changed. */
import type { AlertSecret, AlertSecretStatus } from "../../contract/panel/alert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { changeSecret, findSecrets } from "../../serving/webhooks/secrets.store.ts";
import { newWebhookSecret } from "../../serving/webhooks/sign-webhook.ts";
import { PREVIOUS_SECONDS, type SecretsDeps } from "../../serving/webhooks/signing-secrets.ts";

const PURPOSE = "alerts";

/** One that does not open is none: the next webhook, or the owner, makes another. */
export async function readAlertSecret(
  { db, seal }: SecretsDeps,
  accountId: Uuid,
): Promise<AlertSecretStatus> {
  const kept = await findSecrets(db, seal, { accountId, purpose: PURPOSE });
  return kept === null || kept.secret === null
    ? { exists: false, createdAt: null }
    : { exists: true, createdAt: kept.madeAt.toISOString() };
}

export async function changeAlertSecret(
  { db, seal }: SecretsDeps,
  accountId: Uuid,
): Promise<AlertSecret> {
  const change = { secret: newWebhookSecret(), previousSeconds: PREVIOUS_SECONDS };
  const { secret } = await changeSecret(db, seal, { accountId, purpose: PURPOSE }, change);
  return { secret };
}
