/** Routes of the panel for the account's tasks, its files, and what signs webhooks of tasks. */
import Type from "typebox";
import { TASK_STATES } from "../../enums/task-state.ts";
import { PAGE_QUERY } from "../page-query.ts";
import { PanelFileList } from "../panel-file.ts";
import {
  PanelTask,
  PanelTaskCancellation,
  PanelTaskDeliveries,
  PanelTaskList,
  PanelTaskResent,
  TaskWebhookSecret,
  TaskWebhookSecretRoll,
  TaskWebhookSecretRolled,
} from "../panel-task.ts";
import { Done, type PanelRouteTable } from "./panel-route.ts";

export const TASK_ROUTES = {
  "GET /tasks": {
    summary: "The account's tasks, newest first",
    query: Type.Object({
      state: Type.Optional(Type.Enum([...TASK_STATES])),
      model: Type.Optional(Type.String()),
      ...PAGE_QUERY,
    }),
    answer: PanelTaskList,
  },
  "GET /tasks/{id}": { summary: "One task", uuids: ["id"], answer: PanelTask },
  "GET /tasks/{id}/events": {
    summary: "What happens to it, live: the events of the API",
    uuids: ["id"],
    content: "text/event-stream",
  },
  "GET /tasks/{id}/deliveries": {
    summary: "Who was told of its end",
    uuids: ["id"],
    answer: PanelTaskDeliveries,
  },
  "POST /tasks/{id}/cancel": {
    summary: "Ask to cancel it",
    uuids: ["id"],
    answer: PanelTaskCancellation,
  },
  "POST /tasks/{id}/deliveries/retry": {
    summary: "Send its webhooks once more",
    uuids: ["id"],
    answer: PanelTaskResent,
    status: 202,
  },
  "GET /webhook-secret": { summary: "What signs webhooks, masked", answer: TaskWebhookSecret },
  "POST /webhook-secret/roll": {
    summary: "Make another secret, shown this once",
    body: TaskWebhookSecretRoll,
    answer: TaskWebhookSecretRolled,
  },
  "GET /files": {
    summary: "The account's files, newest first",
    query: Type.Object(PAGE_QUERY),
    answer: PanelFileList,
  },
  "DELETE /files/{name}": { summary: "Delete a file", answer: Done },
} as const satisfies PanelRouteTable;
