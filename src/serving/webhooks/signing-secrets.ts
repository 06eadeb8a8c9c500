/**
 * What signs an account's webhooks now: whatever became of the secret that was kept, there is one.
 */
import type { Db } from "../../db/database.ts";
import type { Seal } from "../../kernel/seal.ts";
import {
  changeSecret,
  findSecrets,
  lockSecrets,
  makeSecret,
  type Signer,
  type WebhookSecrets,
} from "./secrets.store.ts";
import { newWebhookSecret } from "./sign-webhook.ts";

export interface SecretsDeps {
  readonly db: Db;
  readonly seal: Seal;
}

export interface SigningDeps extends SecretsDeps {
  /** The signer's secret did not open, so a fresh one signs that its receivers do not know yet. */
  onReplaced(signer: Signer): void;
}

/** For so long the secret before signs as well, so that receivers can follow. */
export const PREVIOUS_SECONDS = 24 * 3600;

/**
 * The present one first. A secret that does not open makes room for a fresh one, which its owner
 * can replace and then knows; for a day it is the one before, so that processes that can open it,
 * and an operator who sets SESSION_SECRET right again, still sign with it.
 */
export async function signingSecrets(
  { db, seal, onReplaced }: SigningDeps,
  signer: Signer,
): Promise<readonly string[]> {
  const kept = whatOpens(await findSecrets(db, seal, signer));
  if (kept.length > 0) return kept;
  const { secrets, replaced } = await db.transaction(async (tx) => {
    const fresh = newWebhookSecret();
    await makeSecret(tx, seal, signer, fresh);
    const now = whatOpens(await lockSecrets(tx, seal, signer));
    if (now.length > 0) return { secrets: now, replaced: false };
    await changeSecret(tx, seal, signer, { secret: fresh, previousSeconds: PREVIOUS_SECONDS });
    return { secrets: [fresh], replaced: true };
  });
  if (replaced) onReplaced(signer);
  return secrets;
}

function whatOpens(kept: WebhookSecrets | null): string[] {
  return [kept?.secret ?? null, kept?.previous ?? null].filter((secret) => secret !== null);
}
