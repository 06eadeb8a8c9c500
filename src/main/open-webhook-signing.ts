/**
 * What webhooks are signed with, put together: what stood in the clear is sealed before anything is
 * signed.
 */
import type { Db } from "../db/database.ts";
import { sealOldSecrets } from "../serving/webhooks/seal-old-secrets.ts";
import type { SigningDeps } from "../serving/webhooks/signing-secrets.ts";
import { createSeal } from "../kernel/seal.ts";
import type { Log } from "../log/log.ts";

export async function openWebhookSigning(deps: {
  readonly db: Db;
  readonly sessionSecret: string;
  readonly log: Log;
}): Promise<SigningDeps> {
  const { db, sessionSecret, log } = deps;
  const seal = createSeal(sessionSecret);
  const sealed = await sealOldSecrets({ db, seal });
  if (sealed > 0)
    log.info({ sealed }, "sealed secrets of webhooks that stood in the database in the clear");
  return {
    db,
    seal,
    onReplaced: (signer) =>
      log.warn(
        signer,
        "a secret of webhooks does not open: SESSION_SECRET was changed. A fresh one signs from now on; receivers refuse it until the account's owner replaces it in the panel",
      ),
  };
}
