/** Tasks in the playground: ordered and quoted with a key that the member chose. */
import { JSON_BODY_LIMIT_BYTES } from "../../../kernel/limits.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { readTaskOrder } from "../../read-task-order.ts";
import { memberBytesRoute } from "../member-route.ts";
import type { Route } from "../../route.ts";
import { createTask } from "../../../serving/tasks/create-task.ts";
import { quoteTask } from "../../../serving/tasks/quote-task.ts";
import type { TaskRouteDeps } from "../../task-route-deps.ts";
import { panelTaskQuoteBody } from "../../task-quote-body.ts";
import type { KeyChoice } from "./chat-routes.ts";

export interface OrderRouteDeps extends KeyChoice {
  readonly tasks: TaskRouteDeps;
}

export function playgroundOrderRoutes(deps: OrderRouteDeps): Route[] {
  return [
    memberBytesRoute("POST /playground/tasks/{+model}", {
      needs: "keyholder",
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      async handle(call) {
        const key = await deps.chooseKey(call.member, call.headers);
        const { taskId, priceNano, replayOf } = await createTask(
          deps.tasks,
          readTaskOrder(call, key),
        );
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
      needs: "keyholder",
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      async handle(call) {
        const key = await deps.chooseKey(call.member, call.headers);
        return { json: panelTaskQuoteBody(await quoteTask(deps.tasks, readTaskOrder(call, key))) };
      },
    }),
  ];
}
