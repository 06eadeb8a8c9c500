/**
 * OpenAPI 3.1 from the route table: the schemas that validate and answer are the schemas that are
 * described.
 */
import { PUBLIC_SCHEMAS } from "../contract/public-schemas.ts";
import { describeQuery, describeSchema, reference } from "./openapi-schema.ts";
import { errorFamily } from "./error-family.ts";
import type { ErrorFamily } from "./error-family.ts";
import { assert } from "../kernel/assert.ts";
import type { HeaderDescriptions, Route, RouteDescription } from "./route.ts";

export interface OpenApiInput {
  readonly routes: readonly Route[];
  readonly baseUrl: string;
  readonly version: string;
}

type DescribedFamily = Exclude<ErrorFamily, "panel">;

const ERROR_SCHEMAS: Record<DescribedFamily, keyof typeof PUBLIC_SCHEMAS> = {
  openai: "OpenAiError",
  anthropic: "AnthropicError",
  tasks: "TaskError",
};

const ERROR_WORDS: Readonly<Record<number, string>> = {
  400: "The request is not valid; `param` names the field.",
  401: "The API key is missing, malformed, unknown, expired or deleted.",
  402: "The balance or the key's limit cannot cover the request. A retry does not help.",
  403: "The key may not do that: another model, another address.",
  404: "There is nothing here.",
  405: "The path does not take that method; `allow` lists those that it takes.",
  408: "The body did not arrive in time.",
  409: "The first request with this Idempotency-Key still runs; `retry-after` says when to come back.",
  410: "The request with this Idempotency-Key was answered and charged; its answer was too large to be kept.",
  412: "A precondition of the request does not hold.",
  413: "The body is too large.",
  415: "The body is not JSON.",
  416: "There is nothing in that range.",
  429: "Too many requests; `retry-after` says when to come back.",
  500: "Something went wrong on our side.",
  502: "No upstream could serve the request.",
  503: "Overloaded, or restarting: try again.",
  504: "The upstream did not answer in time.",
  507: "There is no room for files here at the moment.",
  529: "Overloaded, or restarting: try again.",
};

const REQUEST_ID: HeaderDescriptions = {
  "x-request-id": {
    description: "The request's id, also in `request-id`: quote it in questions.",
    example: "req_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
  },
};
/** The headers that choose the form of an error where the path leaves it open. */
const ERROR_HEADERS = [{}, { "anthropic-version": "2023-06-01" }];
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([409, 429, 503, 529]);
const RETRY_AFTER: HeaderDescriptions = {
  "retry-after": { description: "When to come back, seconds.", example: "2" },
};

const TASK_ENDED = {
  operationId: "taskEnded",
  summary: "A task has ended",
  tags: ["Tasks"],
  security: [],
  requestBody: {
    required: true,
    content: { "application/json": { schema: reference("TaskWebhook") } },
  },
  responses: { "2XX": { description: "It was heard; anything else is tried again for 24 hours." } },
};

export function openApiDocument({ routes, baseUrl, version }: OpenApiInput): object {
  const described = routes.filter((route) => route.doc.internal !== true);
  const sent = new Set<unknown>(described.map((route) => route.doc.requestBody));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of described) {
    const path = route.doc.path ?? route.path;
    paths[path] ??= {};
    Object.assign(paths[path] ?? {}, { [route.method.toLowerCase()]: operationOf(route) });
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate API",
      version,
      description:
        "One API key, one prepaid rouble balance, many models. Money is a decimal string of roubles, times are ISO 8601 UTC, every answer carries `x-request-id`.\n\n" +
        "HEAD is answered wherever GET is; OPTIONS tells the methods of a path.",
    },
    servers: [{ url: baseUrl }],
    tags: [
      { name: "Chat", description: "Requests that are charged." },
      { name: "Images", description: "Images that are waited for, as OpenAI's API has them." },
      {
        name: "Tasks",
        description: "Images and videos: ordered, made somewhere, charged when they are there.",
      },
      { name: "Models", description: "What can be called, and its price." },
      { name: "Account", description: "The balance, the key and the receipts." },
      {
        name: "Storage",
        description:
          "Files for tasks: sent here, served by their URL, removed when their time is over.",
      },
      {
        name: "Batches",
        description: "Many requests at once, worked off within a day: their files and results.",
      },
      {
        name: "Service",
        description: "For people who look around and for the machines that watch.",
      },
    ],
    paths,
    webhooks: { taskEnded: { post: TASK_ENDED } },
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The key's secret, `tg_live_…`, as a Bearer token.",
        },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "The same secret in another header.",
        },
      },
      schemas: Object.fromEntries(
        Object.entries(PUBLIC_SCHEMAS).map(([name, schema]) => [
          name,
          describeSchema(schema, { own: name, open: sent.has(schema) }),
        ]),
      ),
    },
  };
}

function operationOf(route: Route): object {
  const { doc } = route;
  const parameters = [...pathParameters(doc), ...queryParameters(route), ...headerParameters(doc)];
  return {
    operationId: doc.operationId,
    summary: doc.summary,
    ...(doc.description === undefined ? {} : { description: doc.description }),
    tags: [doc.tag],
    ...(route.access === "open"
      ? { security: [] }
      : { security: [{ bearer: [] }, { apiKey: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(doc.requestBody === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [doc.requestType ?? "application/json"]: {
                schema: describeSchema(doc.requestBody),
                ...(doc.requestExamples === undefined ? {} : { examples: doc.requestExamples }),
              },
            },
          },
        }),
    responses: responsesOf(route),
  };
}

function responsesOf(route: Route): Record<string, object> {
  const headers = responseHeaders(REQUEST_ID);
  const responses: Record<string, object> = {};
  for (const [status, { description, content }] of Object.entries(route.doc.responses)) {
    responses[status] = {
      description,
      headers: { ...headers, ...responseHeaders(route.doc.responseHeaders ?? {}) },
      content: Object.fromEntries(
        Object.entries(content).map(([type, schema]) => [type, { schema: describeSchema(schema) }]),
      ),
    };
  }
  const families = errorFamilies(route);
  const error = {
    "application/json": {
      schema: anyOf(families.map((family) => reference(ERROR_SCHEMAS[family]))),
    },
  };
  for (const status of [...route.doc.errors, ...usualErrors(route, families)].toSorted(
    (a, b) => a - b,
  )) {
    const more = {
      ...(status === 429 ? responseHeaders(route.doc.responseHeaders ?? {}) : {}),
      ...(WITH_RETRY_AFTER.has(status) ? responseHeaders(RETRY_AFTER) : {}),
    };
    responses[String(status)] ??= {
      description: ERROR_WORDS[status] ?? "An error.",
      headers: { ...headers, ...more },
      content: error,
    };
  }
  return responses;
}

/** In whose forms a route's errors are: more than one where a header of the caller's chooses. */
function errorFamilies(route: Route): DescribedFamily[] {
  const spoken =
    route.family === undefined
      ? ERROR_HEADERS.map((headers) => errorFamily(route.path, headers))
      : [route.family];
  return [...new Set(spoken)].map((family) => {
    assert(family !== "panel", "routes of the panel are not described");
    return family;
  });
}

/**
 * What a route may answer without saying so itself. Whose key is read from the database can be told
 * that there is none at the moment.
 */
function usualErrors(route: Route, families: readonly DescribedFamily[]): number[] {
  const overloaded = families.map((family) => (family === "anthropic" ? 529 : 503));
  return [
    405,
    500,
    ...(route.doc.pathParameters === undefined ? [] : [404]),
    ...(route.access === "open" ? [] : overloaded),
  ];
}

function anyOf(schemas: readonly object[]): object {
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas };
}

function responseHeaders(headers: HeaderDescriptions): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, example }]) => [
      name,
      { description, schema: { type: "string" }, example },
    ]),
  );
}

function pathParameters(doc: RouteDescription): object[] {
  return Object.entries(doc.pathParameters ?? {}).map(([name, { description, example }]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema: { type: "string" },
    example,
  }));
}

function headerParameters(doc: RouteDescription): object[] {
  return Object.entries(doc.headers ?? {}).map(([name, { description, example }]) => ({
    name,
    in: "header",
    required: false,
    // Viewers send what has an `example`, and a sample that is run twice with one idempotency-key
    // gets an old answer, or a 400.
    description: `${description} For example: \`${example}\`.`,
    schema: { type: "string" },
  }));
}

function queryParameters(route: Route): object[] {
  return route.access === "raw" || route.query === undefined ? [] : describeQuery(route.query);
}
