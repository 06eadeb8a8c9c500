/** The requests and tasks of all accounts for operators, and what may be done with a task. */
import type { TaskState } from "../../../contract/enums/task-state.ts";
import type {
  OperatorReceipt,
  OperatorRequestList,
} from "../../../contract/panel/operator-requests.ts";
import type {
  OperatorTaskDetail,
  OperatorTaskList,
  StuckTasks,
  TaskFailed,
  TaskRetried,
} from "../../../contract/panel/operator-tasks.ts";
import type { AnyRequestQuery } from "../../../business/operate/list-any-requests.ts";
import type { Operator } from "../../../business/operate/operator.ts";
import type { PageRequest } from "../../../serving/read-page.ts";
import { Fault } from "../../../kernel/faults.ts";
import { parseRequestId, type Uuid } from "../../../kernel/ids.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { pageOf } from "./page-of.ts";

export interface OperatorWorkUseCases {
  listRequests(query: AnyRequestQuery): Promise<OperatorRequestList>;
  readRequest(id: string): Promise<OperatorReceipt>;
  listTasks(
    query: PageRequest & {
      readonly accountId: Uuid | null;
      readonly state: TaskState | null;
      readonly model: string | null;
    },
  ): Promise<OperatorTaskList>;
  readTask(taskId: string): Promise<OperatorTaskDetail>;
  stuckTasks(reconcile: boolean): Promise<StuckTasks>;
  retryTask(operator: Operator, taskId: string, reason: string | null): Promise<TaskRetried>;
  failTask(operator: Operator, taskId: string, reason: string): Promise<TaskFailed>;
}

export function operatorWorkRoutes(useCases: OperatorWorkUseCases): Route[] {
  const needs = "operator";
  return [
    memberRoute("GET /operator/requests", {
      needs,
      async handle({ query }) {
        const { account = null, key = null, model = null, state = null, upstream = null } = query;
        const page = await useCases.listRequests({
          accountId: account,
          keyHash: key,
          model,
          state,
          upstream,
          from: readMoment("from", query.from),
          to: readMoment("to", query.to),
          ...pageOf(query),
          cursor: readRequestCursor(query.cursor),
        });
        return { json: page };
      },
    }),
    memberRoute("GET /operator/requests/{id}", {
      needs,
      handle: async ({ params }) => ({
        json: await useCases.readRequest(params.id),
      }),
    }),
    memberRoute("GET /operator/tasks", {
      needs,
      async handle({ query }) {
        const { account = null, model = null, state = null } = query;
        return {
          json: await useCases.listTasks({ accountId: account, model, state, ...pageOf(query) }),
        };
      },
    }),
    memberRoute("GET /operator/tasks/stuck", {
      needs,
      handle: async ({ query }) => ({
        json: await useCases.stuckTasks(query.reconcile === "true"),
      }),
    }),
    memberRoute("GET /operator/tasks/{id}", {
      needs,
      handle: async ({ params }) => ({
        json: await useCases.readTask(params.id),
      }),
    }),
    memberRoute("POST /operator/tasks/{id}/retry", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await useCases.retryTask(member, params.id, readReason(body.reason)),
      }),
    }),
    memberRoute("POST /operator/tasks/{id}/fail", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await useCases.failTask(member, params.id, body.reason.trim()),
      }),
    }),
  ];
}

function readReason(text: string | undefined): string | null {
  const reason = text?.trim() ?? "";
  return reason === "" ? null : reason;
}

function readRequestCursor(cursor: string | undefined): Uuid | null {
  if (cursor === undefined) return null;
  const requestId = parseRequestId(cursor);
  if (requestId === null)
    throw new Fault("invalid_request", {
      message: "cursor: take it from `nextCursor` of the page before.",
      param: "cursor",
    });
  return requestId;
}
