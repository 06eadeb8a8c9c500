/** Models with their prices and forms, and what a task would cost the account. */
import { quoteTaskForAccount, type QuoteDeps } from "../../../serving/tasks/quote-task.ts";
import { JSON_BODY_LIMIT_BYTES } from "../../../kernel/limits.ts";
import { checkJsonType } from "../../read-json-body.ts";
import type { Route } from "../../route.ts";
import { memberBytesRoute, memberRoute } from "../member-route.ts";
import { panelTaskQuoteBody } from "../../task-quote-body.ts";
import type { ServiceStatus } from "../../../business/operate/service-status.ts";
import { listAccountModels } from "../../../business/panel/account/list-account-models.ts";
import type { LiveCatalogue } from "../../../catalogue/live-catalogue.ts";

export interface ModelRouteDeps {
  /** As the public page has it; null: nothing could be read yet. */
  modelStatus(): Promise<ServiceStatus | null>;
  readonly catalogue: Pick<LiveCatalogue, "current">;
  readonly tasks: QuoteDeps;
}

export function modelRoutes({ catalogue, tasks, modelStatus }: ModelRouteDeps): Route[] {
  return [
    memberRoute("GET /models", {
      needs: "developer",
      seen: true,
      handle: () => ({ json: listAccountModels(catalogue.current()) }),
    }),
    memberRoute("GET /models/status", {
      needs: "developer",
      seen: true,
      async handle() {
        const status = await modelStatus();
        return {
          json: {
            data: (status?.models ?? []).map(
              ({ id, health, days, share, firstTokenMs, tokensPerSecond }) => ({
                id,
                health,
                days: [...days],
                share,
                firstTokenMs,
                tokensPerSecond,
              }),
            ),
          },
        };
      },
    }),
    memberBytesRoute("POST /quote/tasks/{+model}", {
      needs: "developer",
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      async handle({ member: { accountId }, headers, params, body }) {
        checkJsonType(headers);
        const call = { accountId, model: params.model, body };
        return { json: panelTaskQuoteBody(await quoteTaskForAccount(tasks, call)) };
      },
    }),
  ];
}
