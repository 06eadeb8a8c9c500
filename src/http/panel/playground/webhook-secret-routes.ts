/** What signs the webhooks of tasks: shown masked to those who manage, changed by owners. */
import type { TaskWebhookSecrets } from "../../../business/panel/playground/task-webhook-secret.ts";
import { Fault } from "../../../kernel/faults.ts";
import { memberRoute } from "../member-route.ts";
import type { Route } from "../../route.ts";

export function webhookSecretRoutes(secrets: TaskWebhookSecrets): Route[] {
  return [
    memberRoute("GET /webhook-secret", {
      needs: "manager",
      handle: async ({ member }) => ({ json: await secrets.show(member.accountId) }),
    }),
    memberRoute("POST /webhook-secret/roll", {
      needs: "owner",
      async handle({ member, body }) {
        const rolled = await secrets.roll(member, body.now === true);
        if (rolled === null) throw new Fault("not_found");
        return { json: rolled };
      },
    }),
  ];
}
