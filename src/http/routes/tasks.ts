/** Tasks: ordered, asked for, listed, followed and canceled by their owners (contract §7). */
import Type from "typebox";
import { TASK_STATES } from "../../contract/enums/task-state.ts";
import {
  Task,
  TaskCancellation,
  TaskCreated,
  TaskDeliveries,
  TaskList,
  TaskRequestBody,
} from "../../contract/task.ts";
import { cancelTask } from "../../serving/tasks/cancel-task.ts";
import { createTask } from "../../serving/tasks/create-task.ts";
import { listDeliveries } from "../../serving/tasks/list-deliveries.ts";
import { listTasks } from "../../serving/tasks/list-tasks.ts";
import { readTask } from "../../serving/tasks/read-task.ts";
import { JSON_BODY_LIMIT_BYTES, LIST_PAGE_DEFAULT, LIST_PAGE_MAX } from "../../kernel/limits.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { answerTaskEvents } from "../answer-task-events.ts";
import { foundTask } from "../found-task.ts";
import { rateLimitHeaders } from "../rate-limit-headers.ts";
import { readTaskOrder } from "../read-task-order.ts";
import { replayHeaders } from "../replay-headers.ts";
import type { HeaderDescriptions, Route } from "../route.ts";
import { bytesRoute, keyRoute } from "../route.ts";
import { success } from "../success.ts";
import type { TaskRouteDeps } from "../task-route-deps.ts";
import { taskExamples } from "./task-examples.ts";

const LONGEST_WAIT_SECONDS = 60;
const TASK_ID = "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
const ID_PARAMETER = { id: { description: "`taskId` of its creation.", example: TASK_ID } };

const REQUEST_HEADERS: HeaderDescriptions = {
  "idempotency-key": {
    description:
      "The same key with the same body within 24 hours gets the same task, and one charge. With another body it is a 400. Refused orders may be sent again with it.",
    example: "order-4711",
  },
  "x-callback-url": {
    description:
      "A public http(s) address that is told of the end of the task, signed by the Standard Webhooks scheme, for 24 hours if need be.",
    example: "https://shop.example.com/hooks/tollgate",
  },
};

const RESPONSE_HEADERS: HeaderDescriptions = {
  "x-tollgate-cost": {
    description:
      "What the task costs when it is completed, roubles: held from now on, given back if it fails.",
    example: "40",
  },
};

const CREATE =
  "Which parameters a model takes says `parameters` of its entry in `GET /v1/models`: one of the tables `T1` to `T19`. An unknown parameter is refused, and all mistakes of a body are told at once.\n\n" +
  "Media are URLs: of the upload, or any public http(s) address. Files of ours were measured when they were uploaded, so that one which breaks a rule is refused here; " +
  "others are fetched right after, and fail the task with `input_rejected` or `input_unreachable` before anybody is paid.";

const WAIT_DESCRIPTION = `Waits so many seconds for the task to end, and answers at once when it does; without an end it answers with the task as it is then. At most ${LONGEST_WAIT_SECONDS}.`;

const ReadQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_WAIT_SECONDS,
      description: WAIT_DESCRIPTION,
      examples: [30],
    }),
  ),
});

const ListQuery = Type.Object({
  state: Type.Optional(Type.Enum([...TASK_STATES], { description: "Only those in this state." })),
  model: Type.Optional(Type.String({ description: "Only those of this model." })),
  cursor: Type.Optional(Type.String({ description: "`nextCursor` of the page before." })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIST_PAGE_MAX,
      default: LIST_PAGE_DEFAULT,
      description: "Tasks on a page.",
    }),
  ),
});

export function tasksRoutes(deps: TaskRouteDeps): Route[] {
  return [
    createRoute(deps),
    readRoute(deps),
    listRoute(deps),
    eventsRoute(deps),
    ...aroundRoutes(deps),
  ];
}

function createRoute(deps: TaskRouteDeps): Route {
  return bytesRoute({
    method: "POST",
    path: "/v1/tasks/{model}",
    catchAll: true,
    bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
    doc: {
      operationId: "createTask",
      path: "/v1/tasks/{id}",
      summary: "Orders a task",
      description: CREATE,
      tag: "Tasks",
      pathParameters: {
        id: {
          description: "The model's id at this method; slashes in it may be written raw or as %2F.",
          example: "seedance-2",
        },
      },
      headers: REQUEST_HEADERS,
      responseHeaders: RESPONSE_HEADERS,
      requestBody: TaskRequestBody,
      requestExamples: taskExamples(),
      responses: {
        200: { description: "It is ordered.", content: { "application/json": TaskCreated } },
      },
      errors: [400, 401, 402, 403, 408, 409, 413, 415, 429, 503],
    },
    async handle(call) {
      if (isCancelOfNothing(call)) foundTask(null);
      const { taskId, priceNano, standing, replayOf } = await createTask(
        deps,
        readTaskOrder(call, call.key),
      );
      return {
        headers: {
          "x-tollgate-cost": formatRoubles(priceNano),
          ...(standing === null ? {} : rateLimitHeaders("tasks", standing, false)),
          ...replayHeaders(replayOf),
        },
        ...success({ taskId, state: "queued" }),
      };
    },
  });
}

/**
 * The router takes what is no UUID before `/cancel` for a model with a slash; but no order has an
 * empty body.
 */
function isCancelOfNothing({
  params,
  body,
}: {
  readonly params: Readonly<Record<string, string>>;
  readonly body: Buffer;
}): boolean {
  return body.length === 0 && (params["model"] ?? "").endsWith("/cancel");
}

function readRoute(deps: TaskRouteDeps): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/tasks/{id}",
    // The router knows one pattern for what follows /v1/tasks/, and models have slashes.
    catchAll: true,
    waits: true,
    query: ReadQuery,
    doc: {
      operationId: "getTask",
      summary: "One task",
      description:
        "Its state, its result, its money. Somebody else's task and one that never was are the same 404.",
      tag: "Tasks",
      pathParameters: ID_PARAMETER,
      responses: { 200: { description: "The task.", content: { "application/json": Task } } },
      errors: [400, 401, 403, 429, 503],
    },
    async handle({ key, params, query, method, departure }) {
      const waitMs = method === "HEAD" ? 0 : (query.wait ?? 0) * 1000;
      return success(
        foundTask(
          await readTask(deps, {
            accountId: key.accountId,
            taskId: idOf(params),
            waitMs,
            signal: departure(),
          }),
        ),
      );
    },
  });
}

function listRoute(deps: TaskRouteDeps): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/tasks",
    query: ListQuery,
    doc: {
      operationId: "listTasks",
      summary: "The account's tasks, newest first",
      tag: "Tasks",
      responses: {
        200: { description: "A page of tasks.", content: { "application/json": TaskList } },
      },
      errors: [400, 401, 403],
    },
    async handle({ key, query }) {
      const { state = null, model = null, cursor = null, limit = LIST_PAGE_DEFAULT } = query;
      const { rows, next } = await listTasks(deps, key.accountId, { state, model, cursor, limit });
      return success({ tasks: rows, nextCursor: next });
    },
  });
}

const EVENTS =
  "Server-sent events, from the beginning or from the one after `Last-Event-ID`: `queued`, `processing`, `progress` (without an id), `cancel_requested`, `cancel_refused`, and at the end `completed` or `failed`, " +
  "whose data is the task as `GET /v1/tasks/{id}` shows it. Then the stream ends; who asks again for what comes after gets a 204, on which browsers stop asking. " +
  "A stream that ends earlier (the server restarts) is to be asked for again with the last id. A comment comes every 15 seconds of silence.";

function eventsRoute(deps: TaskRouteDeps): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/tasks/{id}/events",
    uuids: ["id"],
    waits: true,
    query: Type.Object({}),
    doc: {
      operationId: "followTask",
      summary: "What happens to a task, as it happens",
      description: EVENTS,
      tag: "Tasks",
      pathParameters: ID_PARAMETER,
      headers: {
        "last-event-id": {
          description: "The id of the last event that was heard.",
          example: "4711",
        },
      },
      responses: {
        200: { description: "The events.", content: { "text/event-stream": Type.String() } },
        204: { description: "Nothing more will come.", content: {} },
      },
      errors: [401, 403, 429, 503],
    },
    handle: ({ key, params, headers, method }) =>
      answerTaskEvents(deps, key, { taskId: idOf(params), headers, method }),
  });
}

function aroundRoutes(deps: TaskRouteDeps): Route[] {
  return [
    keyRoute({
      method: "POST",
      path: "/v1/tasks/{id}/cancel",
      uuids: ["id"],
      query: Type.Object({}),
      doc: {
        operationId: "cancelTask",
        summary: "Cancels a task",
        description:
          "Free and certain as long as nobody has begun it. Afterwards its maker is asked to stop, which not every maker can: the task may still be completed, and is charged then. Asking again changes nothing.",
        tag: "Tasks",
        pathParameters: ID_PARAMETER,
        responses: {
          200: {
            description: "What became of it.",
            content: { "application/json": TaskCancellation },
          },
        },
        errors: [401, 403, 503],
      },
      handle: async ({ key, params }) =>
        success(foundTask(await cancelTask(deps, key.accountId, idOf(params)))),
    }),
    keyRoute({
      method: "GET",
      path: "/v1/tasks/{id}/deliveries",
      uuids: ["id"],
      query: Type.Object({}),
      doc: {
        operationId: "listTaskDeliveries",
        summary: "The webhooks of a task, and every try to deliver them",
        tag: "Tasks",
        pathParameters: ID_PARAMETER,
        responses: {
          200: { description: "The log.", content: { "application/json": TaskDeliveries } },
        },
        errors: [401, 403],
      },
      handle: async ({ key, params }) =>
        success({
          deliveries: foundTask(await listDeliveries(deps.db, key.accountId, idOf(params))),
        }),
    }),
  ];
}

function idOf(params: Readonly<Record<string, string>>): string {
  return (params["id"] ?? "").toLowerCase();
}
