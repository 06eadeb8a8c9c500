/**
 * What signs the webhooks of an account's tasks, as its members see it: masked, and whole only at
 * the moment that it is changed.
 */
import type {
  TaskWebhookSecret,
  TaskWebhookSecretRolled,
} from "../../../contract/panel/panel-task.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { recordAct, type Actor } from "../../account-log/account-actions.store.ts";
import { findSecrets } from "../../../serving/webhooks/secrets.store.ts";
import { rollWebhookSecret } from "../../../serving/tasks/webhook-secret.ts";
import type { SecretsDeps } from "../../../serving/webhooks/signing-secrets.ts";

/** `whsec_` and four characters of the key. */
const SHOWN_AT_BEGIN = 10;
const SHOWN_AT_END = 4;

export interface TaskWebhookSecrets {
  show(accountId: Uuid): Promise<TaskWebhookSecret>;
  /** `now`: the one before is given up at once. Null: there is no such account. */
  roll(actor: Actor, now: boolean): Promise<TaskWebhookSecretRolled | null>;
}

export function createTaskWebhookSecrets(deps: SecretsDeps): TaskWebhookSecrets {
  return {
    async show(accountId) {
      const secrets = await findSecrets(deps.db, deps.seal, { accountId, purpose: "tasks" });
      // One that does not open is none: the next webhook, or the owner, makes another.
      if (secrets === null || secrets.secret === null)
        return { masked: null, madeAt: null, previousUntil: null };
      const { secret, madeAt, previousUntil } = secrets;
      const masked = `${secret.slice(0, SHOWN_AT_BEGIN)}…${secret.slice(-SHOWN_AT_END)}`;
      return {
        masked,
        madeAt: madeAt.toISOString(),
        previousUntil: previousUntil?.toISOString() ?? null,
      };
    },
    async roll(actor, now) {
      const secrets = await rollWebhookSecret(deps, actor.accountId, now, (tx) =>
        recordAct(tx, actor, {
          action: "task.secret",
          subjectId: null,
          subject: null,
          before: null,
          after: null,
        }),
      );
      if (secrets === null) return null;
      const { secret, madeAt, previousUntil } = secrets;
      return {
        secret,
        madeAt: madeAt.toISOString(),
        previousUntil: previousUntil?.toISOString() ?? null,
      };
    },
  };
}
