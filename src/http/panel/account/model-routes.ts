/** Models with their prices and forms, and what a task would cost the account. */
import { quoteTaskForAccount, type QuoteDeps } from "../../../serving/tasks/quote-task.ts";
import { JSON_BODY_LIMIT_BYTES } from "../../../kernel/limits.ts";
import { checkJsonType } from "../../read-json-body.ts";
import type { Route } from "../../route.ts";
import { memberBytesRoute, memberRoute } from "../member-route.ts";
import { panelTaskQuoteBody } from "../../task-quote-body.ts";
import { listAccountModels } from "../../../business/panel/account/list-account-models.ts";
import type { LiveCatalogue } from "../../../catalogue/live-catalogue.ts";

export interface ModelRouteDeps {
  readonly catalogue: Pick<LiveCatalogue, "current">;
  readonly tasks: QuoteDeps;
}

export function modelRoutes({ catalogue, tasks }: ModelRouteDeps): Route[] {
  return [
    memberRoute("GET /models", {
      needs: "developer",
      seen: true,
      handle: () => ({ json: listAccountModels(catalogue.current()) }),
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
