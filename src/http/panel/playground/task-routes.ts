/**
 * The tasks of an account: seen and followed by every member, canceled and told again by those who
 * manage.
 */
import Type from "typebox";
import { TASK_STATES } from "../../../contract/enums/task-state.ts";
import type {
  PanelTaskCancellation,
  PanelTaskDeliveries,
  PanelTaskList,
  PanelTaskResent,
} from "../../../contract/panel/panel-task.ts";
import type { PanelTasks } from "../../../business/panel/playground/panel-tasks.ts";
import { LIST_PAGE_DEFAULT, LIST_PAGE_MAX } from "../../../kernel/limits.ts";
import { answerTaskEvents } from "../../answer-task-events.ts";
import { foundTask } from "../../found-task.ts";
import { memberRoute } from "../member-route.ts";
import type { Route, RouteCall } from "../../route.ts";
import type { TasksUseCases } from "../../routes/tasks.ts";

export interface PanelTasksUseCases extends Pick<
  TasksUseCases,
  "readTask" | "followTask" | "cancelTask" | "listDeliveries"
> {
  readonly panelTasks: PanelTasks;
}

const LIST = "/panel/api/tasks";
const ONE = { path: `${LIST}/{id}`, uuids: ["id"] } as const;

const ListQuery = Type.Object({
  state: Type.Optional(Type.Enum([...TASK_STATES])),
  model: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_PAGE_MAX })),
});

export function panelTaskRoutes(useCases: PanelTasksUseCases): Route[] {
  return [...seeingRoutes(useCases), ...changingRoutes(useCases)];
}

function seeingRoutes(useCases: PanelTasksUseCases): Route[] {
  const { panelTasks } = useCases;
  return [
    memberRoute({
      method: "GET",
      path: LIST,
      needs: "viewer",
      query: ListQuery,
      async handle({ member, query }) {
        const { state = null, model = null, cursor = null, limit = LIST_PAGE_DEFAULT } = query;
        const { rows, next } = await panelTasks.list(member.accountId, {
          state,
          model,
          cursor,
          limit,
        });
        const json: PanelTaskList = { data: [...rows], nextCursor: next };
        return { content: { json } };
      },
    }),
    memberRoute({
      method: "GET",
      ...ONE,
      needs: "viewer",
      handle: async ({ member, params }) => ({
        content: { json: foundTask(await panelTasks.read(member.accountId, idOf(params))) },
      }),
    }),
    memberRoute({
      method: "GET",
      path: `${ONE.path}/events`,
      uuids: ONE.uuids,
      needs: "viewer",
      handle: ({ member, params, headers, method }) =>
        answerTaskEvents(useCases, member, { taskId: idOf(params), headers, method }),
    }),
    memberRoute({
      method: "GET",
      path: `${ONE.path}/deliveries`,
      uuids: ONE.uuids,
      needs: "viewer",
      async handle({ member, params }) {
        const deliveries = foundTask(await useCases.listDeliveries(member, idOf(params)));
        const json: PanelTaskDeliveries = {
          data: deliveries.map(({ tries, ...delivery }) => ({ ...delivery, tries: [...tries] })),
          nextCursor: null,
        };
        return { content: { json } };
      },
    }),
  ];
}

function changingRoutes(useCases: PanelTasksUseCases): Route[] {
  const { panelTasks } = useCases;
  return [
    memberRoute({
      method: "POST",
      path: `${ONE.path}/cancel`,
      uuids: ONE.uuids,
      needs: "manager",
      async handle({ member, params }) {
        const taskId = idOf(params);
        const { outcome, message } = foundTask(await useCases.cancelTask(member, taskId));
        const json: PanelTaskCancellation = {
          outcome,
          message,
          task: foundTask(await panelTasks.read(member.accountId, taskId)),
        };
        return { content: { json } };
      },
    }),
    memberRoute({
      method: "POST",
      path: `${ONE.path}/deliveries/retry`,
      uuids: ONE.uuids,
      needs: "manager",
      async handle({ member, params }) {
        const json: PanelTaskResent = {
          webhooks: foundTask(await panelTasks.resend(member.accountId, idOf(params))),
        };
        return { status: 202, content: { json } };
      },
    }),
  ];
}

function idOf(params: RouteCall<unknown>["params"]): string {
  return (params["id"] ?? "").toLowerCase();
}
