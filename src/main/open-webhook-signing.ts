/** What webhooks are signed with, put together. */
import type { Db } from "../db/database.ts";
import type { SigningDeps } from "../serving/webhooks/signing-secrets.ts";
import { createSeal } from "../kernel/seal.ts";
import type { Log } from "../log/log.ts";

export function openWebhookSigning(deps: {
  readonly db: Db;
  readonly sessionSecret: string;
  readonly log: Log;
}): SigningDeps {
  const { db, sessionSecret, log } = deps;
  return {
    db,
    seal: createSeal(sessionSecret),
    onReplaced: (signer) =>
      log.warn(
        signer,
        "a secret of webhooks does not open: SESSION_SECRET was changed. A fresh one signs from now on; receivers refuse it until the account's owner replaces it in the panel",
      ),
  };
}
