/** What signs the webhooks of tasks: shown masked to those who manage, changed by owners. */
import { TaskWebhookSecretRoll } from "../../../contract/panel/panel-task.ts";
import type { TaskWebhookSecrets } from "../../../business/panel/playground/task-webhook-secret.ts";
import { Fault } from "../../../kernel/faults.ts";
import { memberRoute } from "../member-route.ts";
import type { Route } from "../../route.ts";

const PATH = "/panel/api/webhook-secret";

export function webhookSecretRoutes(secrets: TaskWebhookSecrets): Route[] {
  return [
    memberRoute({
      method: "GET",
      path: PATH,
      needs: "manager",
      handle: async ({ member }) => ({ content: { json: await secrets.show(member.accountId) } }),
    }),
    memberRoute({
      method: "POST",
      path: `${PATH}/roll`,
      needs: "owner",
      body: TaskWebhookSecretRoll,
      async handle({ member, body }) {
        const rolled = await secrets.roll(member.accountId, body.now === true);
        if (rolled === null) throw new Fault("not_found");
        return { content: { json: rolled } };
      },
    }),
  ];
}
