/** Whether there is a secret that an account's alert webhooks are signed with. */
import type { AlertSecretStatus } from "../../contract/panel/alert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { findSecrets } from "../../serving/webhooks/secrets.store.ts";
import type { SecretsDeps } from "../../serving/webhooks/signing-secrets.ts";

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
