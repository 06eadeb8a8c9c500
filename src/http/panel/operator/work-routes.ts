/** The requests and tasks of all accounts for operators, and what may be done with a task. */
import Type from "typebox";
import { TASK_STATES, type TaskState } from "../../../contract/enums/task-state.ts";
import type {
  OperatorReceipt,
  OperatorRequestList,
} from "../../../contract/panel/operator-requests.ts";
import {
  TaskFailBody,
  TaskRetryBody,
  type OperatorTaskDetail,
  type OperatorTaskList,
  type StuckTasks,
  type TaskFailed,
  type TaskRetried,
} from "../../../contract/panel/operator-tasks.ts";
import type { AnyRequestQuery } from "../../../business/operate/list-any-requests.ts";
import type { Operator } from "../../../business/operate/operator.ts";
import type { PageRequest } from "../../../serving/read-page.ts";
import { Fault } from "../../../kernel/faults.ts";
import { parseRequestId, type Uuid } from "../../../kernel/ids.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { PAGE_QUERY, nameQuery, pageOf, uuidQuery } from "./page-query.ts";

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

const RequestsQuery = Type.Object({
  ...PAGE_QUERY,
  account: uuidQuery,
  key: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$", description: "Its hash." })),
  model: nameQuery,
  state: Type.Optional(Type.String({ pattern: "^[a-z_]{1,40}$" })),
  upstream: nameQuery,
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
});
const TasksQuery = Type.Object({
  ...PAGE_QUERY,
  account: uuidQuery,
  model: nameQuery,
  state: Type.Optional(Type.Enum([...TASK_STATES])),
});
const StuckQuery = Type.Object({ reconcile: Type.Optional(Type.Enum(["true", "false"])) });

export function operatorWorkRoutes(useCases: OperatorWorkUseCases): Route[] {
  const [requests, tasks] = ["/panel/api/operator/requests", "/panel/api/operator/tasks"];
  const operator = { needs: "operator" as const };
  const task = { ...operator, uuids: ["id"] as readonly string[] };
  return [
    memberRoute({
      ...operator,
      method: "GET",
      path: requests,
      query: RequestsQuery,
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
        return { content: { json: page } };
      },
    }),
    memberRoute({
      ...operator,
      method: "GET",
      path: `${requests}/{id}`,
      handle: async ({ params }) => ({
        content: { json: await useCases.readRequest(params["id"] ?? "") },
      }),
    }),
    memberRoute({
      ...operator,
      method: "GET",
      path: tasks,
      query: TasksQuery,
      async handle({ query }) {
        const { account = null, model = null, state = null } = query;
        return {
          content: {
            json: await useCases.listTasks({ accountId: account, model, state, ...pageOf(query) }),
          },
        };
      },
    }),
    memberRoute({
      ...operator,
      method: "GET",
      path: `${tasks}/stuck`,
      query: StuckQuery,
      handle: async ({ query }) => ({
        content: { json: await useCases.stuckTasks(query.reconcile === "true") },
      }),
    }),
    memberRoute({
      ...task,
      method: "GET",
      path: `${tasks}/{id}`,
      handle: async ({ params }) => ({
        content: { json: await useCases.readTask(params["id"] ?? "") },
      }),
    }),
    memberRoute({
      ...task,
      method: "POST",
      path: `${tasks}/{id}/retry`,
      body: TaskRetryBody,
      handle: async ({ member, params, body }) => ({
        content: {
          json: await useCases.retryTask(member, params["id"] ?? "", readReason(body.reason)),
        },
      }),
    }),
    memberRoute({
      ...task,
      method: "POST",
      path: `${tasks}/{id}/fail`,
      body: TaskFailBody,
      handle: async ({ member, params, body }) => ({
        content: { json: await useCases.failTask(member, params["id"] ?? "", body.reason.trim()) },
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
