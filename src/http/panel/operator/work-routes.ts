/** The requests and tasks of all accounts for operators, and what may be done with a task. */
import { Fault } from "../../../kernel/faults.ts";
import { parseRequestId, type Uuid } from "../../../kernel/ids.ts";
import { readMoment } from "../../read-moment.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { pageOf } from "./page-of.ts";
import { listAnyRequests } from "../../../business/operate/list-any-requests.ts";
import { readAnyRequest } from "../../../business/operate/read-any-request.ts";
import {
  findStuckTasks,
  listTasksOfAll,
  readAnyTask,
} from "../../../business/operate/any-tasks.ts";
import { failAnyTask, retryAnyTask } from "../../../business/operate/act-on-task.ts";
import type { OperatorRouteDeps } from "./operator-route-deps.ts";

export function operatorWorkRoutes(deps: OperatorRouteDeps): Route[] {
  const { db, books, clock, lists, prices } = deps;
  const needs = "operator";
  return [
    memberRoute("GET /operator/requests", {
      needs,
      async handle(call) {
        const { query } = call;
        const { account = null, key = null, model = null, state = null, upstream = null } = query;
        const listed = { books: lists(call).books, clock };
        const page = await listAnyRequests(listed, {
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
        json: await readAnyRequest(books, prices, params.id),
      }),
    }),
    memberRoute("GET /operator/tasks", {
      needs,
      async handle(call) {
        const { account = null, model = null, state = null } = call.query;
        const wish = { accountId: account, model, state, ...pageOf(call.query) };
        return { json: await listTasksOfAll(lists(call).db, wish) };
      },
    }),
    memberRoute("GET /operator/tasks/stuck", {
      needs,
      handle: async ({ query }) => ({
        json: await findStuckTasks(db, query.reconcile === "true"),
      }),
    }),
    memberRoute("GET /operator/tasks/{id}", {
      needs,
      handle: async ({ params }) => ({
        json: await readAnyTask(db, params.id, deps.staticUrl()),
      }),
    }),
    memberRoute("POST /operator/tasks/{id}/retry", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await retryAnyTask(db, member, params.id, readReason(body.reason)),
      }),
    }),
    memberRoute("POST /operator/tasks/{id}/fail", {
      needs,
      handle: async ({ member, params, body }) => ({
        json: await failAnyTask(db, member, params.id, body.reason.trim()),
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
