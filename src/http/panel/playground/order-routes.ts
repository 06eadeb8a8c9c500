/** Tasks in the playground: ordered and quoted with a key that the member chose. */
import { JSON_BODY_LIMIT_BYTES } from "../../../kernel/limits.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { readTaskOrder } from "../../read-task-order.ts";
import { memberBytesRoute } from "../member-route.ts";
import type { Route } from "../../route.ts";
import type { TasksUseCases } from "../../routes/tasks.ts";
import type { TaskQuoteUseCases } from "../../routes/tasks-quote.ts";
import { panelTaskQuoteBody } from "../../task-quote-body.ts";
import type { KeyChoice } from "./chat-routes.ts";

export type OrderUseCases = KeyChoice & TaskQuoteUseCases & Pick<TasksUseCases, "createTask">;

export function playgroundOrderRoutes(useCases: OrderUseCases): Route[] {
  return [
    memberBytesRoute("POST /playground/tasks/{+model}", {
      needs: "manager",
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      async handle(call) {
        const key = await useCases.chooseKey(call.member, call.headers);
        const { taskId, priceNano, replayOf } = await useCases.createTask(readTaskOrder(call, key));
        return {
          json: {
            taskId,
            held: formatRoubles(priceNano),
            replayed: replayOf !== null,
          },
        };
      },
    }),
    memberBytesRoute("POST /playground/quote/tasks/{+model}", {
      needs: "manager",
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      async handle(call) {
        const key = await useCases.chooseKey(call.member, call.headers);
        return { json: panelTaskQuoteBody(await useCases.quoteTask(readTaskOrder(call, key))) };
      },
    }),
  ];
}
