/**
 * The tasks of an account: seen and followed by every member, of developers those of their own keys,
 * canceled by those who use keys and told again by those who manage.
 */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import { keyScopeOf } from "../../../business/panel/account/key-scope.ts";
import { isTaskSeen } from "../../../business/panel/playground/is-task-seen.ts";
import type { PanelTasks } from "../../../business/panel/playground/panel-tasks.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import { answerTaskEvents } from "../../answer-task-events.ts";
import { foundTask } from "../../found-task.ts";
import { memberContentRoute, memberRoute } from "../member-route.ts";
import { tasksWithoutFiles, taskWithoutContents } from "../withheld.ts";
import type { Route } from "../../route.ts";
import { cancelTask } from "../../../serving/tasks/cancel-task.ts";
import { listDeliveries } from "../../../serving/tasks/list-deliveries.ts";
import type { TaskRouteDeps } from "../../task-route-deps.ts";

export interface PanelTaskRouteDeps {
  readonly tasks: TaskRouteDeps;
  readonly panelTasks: PanelTasks;
}

export function panelTaskRoutes(deps: PanelTaskRouteDeps): Route[] {
  return [...seeingRoutes(deps), ...changingRoutes(deps)];
}

function seeingRoutes({ tasks, panelTasks }: PanelTaskRouteDeps): Route[] {
  return [
    memberRoute("GET /tasks", {
      needs: "viewer",
      seen: tasksWithoutFiles,
      async handle({ member, query }) {
        const { state = null, model = null, cursor = null, limit = LIST_PAGE_DEFAULT } = query;
        const { rows, next } = await panelTasks.list(member.accountId, {
          state,
          model,
          cursor,
          limit,
        });
        return { json: { data: [...rows], nextCursor: next } };
      },
    }),
    memberRoute("GET /tasks/{id}", {
      needs: "developer",
      seen: taskWithoutContents,
      async handle({ member, params }) {
        await checkTaskSeen(tasks, member, idOf(params));
        return { json: foundTask(await panelTasks.read(member.accountId, idOf(params))) };
      },
    }),
    memberContentRoute("GET /tasks/{id}/events", {
      needs: "developer",
      async handle({ member, params, headers, method }) {
        await checkTaskSeen(tasks, member, idOf(params));
        return answerTaskEvents(tasks, member, { taskId: idOf(params), headers, method });
      },
    }),
    memberRoute("GET /tasks/{id}/deliveries", {
      needs: "viewer",
      async handle({ member, params }) {
        const deliveries = foundTask(
          await listDeliveries(tasks.db, member.accountId, idOf(params)),
        );
        return {
          json: {
            data: deliveries.map(({ tries, ...delivery }) => ({ ...delivery, tries: [...tries] })),
            nextCursor: null,
          },
        };
      },
    }),
  ];
}

function changingRoutes({ tasks, panelTasks }: PanelTaskRouteDeps): Route[] {
  return [
    memberRoute("POST /tasks/{id}/cancel", {
      needs: "keyholder",
      async handle({ member, params }) {
        const taskId = idOf(params);
        await checkTaskSeen(tasks, member, taskId);
        const { outcome, message } = foundTask(await cancelTask(tasks, member.accountId, taskId));
        return {
          json: {
            outcome,
            message,
            task: foundTask(await panelTasks.read(member.accountId, taskId)),
          },
        };
      },
    }),
    memberRoute("POST /tasks/{id}/deliveries/retry", {
      needs: "manager",
      async handle({ member, params }) {
        return {
          json: {
            webhooks: foundTask(await panelTasks.resend(member.accountId, idOf(params))),
          },
        };
      },
    }),
  ];
}

/** Throws the same fault as for a task that never was. */
async function checkTaskSeen(
  { db }: Pick<TaskRouteDeps, "db">,
  member: MemberCaller,
  taskId: string,
): Promise<void> {
  if (!(await isTaskSeen(db, keyScopeOf(member), taskId))) foundTask(null);
}

function idOf({ id }: { readonly id: string }): string {
  return id.toLowerCase();
}
