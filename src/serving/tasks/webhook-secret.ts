/**
 * The secret that the webhooks of an account's tasks are signed with: shown, or changed so that its
 * receivers can follow.
 */
import { findAccount } from "../../accounts/store.ts";
import type { Tx } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import {
  changeSecret,
  findSecrets,
  makeSecret,
  type OpenSecrets,
  type WebhookSecrets,
} from "../webhooks/secrets.store.ts";
import { newWebhookSecret } from "../webhooks/sign-webhook.ts";
import { PREVIOUS_SECONDS, type SecretsDeps } from "../webhooks/signing-secrets.ts";

const PURPOSE = "tasks";

/**
 * Made where there is none, and never changed by being looked at. Null: there is no such account.
 */
export async function showWebhookSecret(
  { db, seal }: SecretsDeps,
  accountId: Uuid,
): Promise<WebhookSecrets | null> {
  if ((await findAccount(db, accountId)) === null) return null;
  const signer = { accountId, purpose: PURPOSE } as const;
  await makeSecret(db, seal, signer, newWebhookSecret());
  return findSecrets(db, seal, signer);
}

/**
 * `now` gives the secret before up at once, for one that leaked. `record` is called in the
 * transaction that changes it. Null: there is no such account.
 */
export async function rollWebhookSecret(
  { db, seal }: SecretsDeps,
  accountId: Uuid,
  now: boolean,
  record?: (tx: Tx, secrets: OpenSecrets) => Promise<void>,
): Promise<OpenSecrets | null> {
  if ((await findAccount(db, accountId)) === null) return null;
  const change = { secret: newWebhookSecret(), previousSeconds: now ? 0 : PREVIOUS_SECONDS };
  return db.transaction(async (tx) => {
    const changed = await changeSecret(tx, seal, { accountId, purpose: PURPOSE }, change);
    await record?.(tx, changed);
    return changed;
  });
}
