/** Models with their prices and forms, and what a task would cost the account. */
import type { PanelModelList } from "../../../contract/panel/panel-model.ts";
import type { AccountQuoteCall, QuotedTask } from "../../../serving/tasks/quote-task.ts";
import { JSON_BODY_LIMIT_BYTES } from "../../../kernel/limits.ts";
import { checkJsonType } from "../../read-json-body.ts";
import type { Route } from "../../route.ts";
import { memberBytesRoute, memberRoute } from "../member-route.ts";
import { panelTaskQuoteBody } from "../../task-quote-body.ts";

export interface ModelUseCases {
  listModels(): PanelModelList;
  quoteTaskForAccount(call: AccountQuoteCall): Promise<QuotedTask>;
}

export function modelRoutes(useCases: ModelUseCases): Route[] {
  return [
    memberRoute("GET /models", {
      needs: "viewer",
      handle: () => ({ json: useCases.listModels() }),
    }),
    memberBytesRoute("POST /quote/tasks/{+model}", {
      needs: "viewer",
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      async handle({ member: { accountId }, headers, params, body }) {
        checkJsonType(headers);
        const call = { accountId, model: params.model, body };
        return { json: panelTaskQuoteBody(await useCases.quoteTaskForAccount(call)) };
      },
    }),
  ];
}
