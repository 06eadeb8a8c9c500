/**
 * An operator changes what signs the webhooks of an account's tasks, with a row in the audit log
 * that never has the secret.
 */
import { recordAction } from "./audit.store.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { OpenSecrets } from "../../serving/webhooks/secrets.store.ts";
import { rollWebhookSecret } from "../../serving/tasks/webhook-secret.ts";
import type { SecretsDeps } from "../../serving/webhooks/signing-secrets.ts";
import type { Actor } from "./operator.ts";

/** Null: there is no such account. */
export function rollAnyWebhookSecret(
  deps: SecretsDeps,
  actor: Actor,
  accountId: Uuid,
  now: boolean,
): Promise<OpenSecrets | null> {
  return rollWebhookSecret(deps, accountId, now, (tx, { previousUntil }) =>
    recordAction(tx, {
      ...actor,
      action: "account.webhook_secret",
      accountId,
      subject: null,
      reason: null,
      before: null,
      after: { previousUntil: previousUntil?.toISOString() ?? null },
    }),
  );
}
