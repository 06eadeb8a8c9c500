/**
 * `/openapi.json` is complete and true: every route that is served is in it, every reference
 * resolves, and it is made of the schemas that validate.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBatches } from "../../test/support/no-batches.ts";
import { openHttpEndpoint, type HttpEndpoint } from "../../test/support/http-endpoint.ts";
import { openApiFaults } from "../../test/support/openapi-faults.ts";
import { PUBLIC_SCHEMAS } from "../contract/public-schemas.ts";
import { systemClock } from "../kernel/clock.ts";
import { createRoutes } from "./create-http-server.ts";
import { describeSchema } from "./openapi-schema.ts";
import type { Route } from "./route.ts";
import { GUIDES } from "./site/guide-place.ts";
import { REFERENCE_GROUPS } from "./site/reference-groups.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<
    string,
    {
      readonly description: string;
      readonly headers?: Record<string, object>;
      readonly content?: Record<string, { readonly schema: object }>;
    }
  >;
}

type Json = Record<string, unknown>;

interface Faulty {
  readonly paths: Record<string, Record<string, Json>>;
  readonly components: { readonly schemas: Record<string, Json> };
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

let endpoint: HttpEndpoint;
let document: Document;
let routes: readonly Route[];
before(async () => {
  endpoint = await openHttpEndpoint();
  document = (await endpoint.get("/openapi.json")).json<Document>();
  const never = () => assert.fail("the description calls nothing");
  routes = createRoutes({
    useCases: {
      countMessageTokens: never,
      quoteChat: never,
      quoteCall: never,
      keptResponses: { find: never, listInput: never, delete: never },
      listModels: never,
      findModel: never,
      readBalance: never,
      readKeySpend: never,
      uploadLimitBytes: 1,
      receiveUpload: never,
      receiveFormFile: never,
      listFiles: never,
      deleteFile: never,
      staticPath: "/static",
      openFile: never,
      readFile: never,
      fileRedirect: never,
    },
    receipts: endpoint.receipts,
    tasks: endpoint.tasks,
    batches: noBatches(endpoint.db),
    readiness: never,
    metrics: endpoint.metrics,
    baseUrl: () => "http://x",
    version: "0",
    clock: systemClock,
  });
});
after(() => endpoint.close());

const operations = (): [path: string, method: string, operation: Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      path,
      method,
      operation,
    ]),
  );

test("the document and the route table name the same routes; only what is of no use to a reader is left out", () => {
  const served = routes.map(
    (route) => `${route.method.toLowerCase()} ${route.doc.path ?? route.path}`,
  );
  const described = operations().map(([path, method]) => `${method} ${path}`);
  assert.deepEqual(
    served.filter((route) => !described.includes(route)),
    [
      "post /v1/callbacks/{upstream}/{token}",
      ...["ru", "en"].flatMap((language) =>
        [
          "",
          "/models",
          "/models/{id}",
          ...GUIDES.map(([, rest]) => rest),
          "/docs/tasks/{table}",
          "/docs/api",
          ...REFERENCE_GROUPS.map((group) => `/docs/api/${group}`),
          "/docs/changelog",
          "/status",
          "/{path}",
        ].map((page) => `get /${language}${page}`),
      ),
      "get /llms.txt",
      "get /sitemap.xml",
      "get /robots.txt",
      "get /site/{name}",
      "get /panel/assets/{name}",
      "get /panel/brand/{name}",
      "get /panel/{path}",
      "get /docs/start.js",
      "get /docs/viewer.js",
    ],
  );
  assert.deepEqual(
    described.filter((route) => !served.includes(route)),
    [],
  );
  for (const path of [
    "chat/completions",
    "messages",
    "messages/count_tokens",
    "quote/chat/completions",
    "quote/messages",
  ])
    assert.ok(described.includes(`post /v1/${path}`), path);
});

test("it has none of the faults that linters refuse and that generated clients trip over", () => {
  assert.deepEqual(openApiFaults(document), []);
});

test("each of these faults is found where it is planted", () => {
  const planted = (change: (copy: Faulty) => void): string => {
    const copy = structuredClone(document) as unknown as Faulty;
    change(copy);
    return openApiFaults(copy).join("\n");
  };
  const path = (copy: Faulty, name: string): Record<string, Json> => (copy.paths[name] ??= {});
  const request = (copy: Faulty): Record<string, Json> =>
    copy.components.schemas["ChatCompletionRequest"]?.["properties"] as Record<string, Json>;
  const cases: readonly (readonly [(copy: Faulty) => void, RegExp])[] = [
    [
      (copy) =>
        (copy.paths["/v1/tasks/{model}"] = { post: path(copy, "/v1/tasks/{id}")["post"] ?? {} }),
      /one template.*tasks\/\{model\}/,
    ],
    [
      (copy) => (request(copy)["temperature"] = { type: "number", default: 1 }),
      /default.*temperature/,
    ],
    [
      (copy) =>
        (request(copy)["tools"] = { type: "array", items: { type: "object", properties: {} } }),
      /closed.*tools/,
    ],
    [
      (copy) => (request(copy)["tools"] = { type: "object", patternProperties: { "^.*$": {} } }),
      /patternProperties.*tools/,
    ],
    [(copy) => (request(copy)["tools"] = { type: "list" }), /type.*tools/],
    [
      (copy) =>
        (request(copy)["tools"] = { type: "object", properties: { a: {} }, required: ["b"] }),
      /required.*tools/,
    ],
    [(copy) => (request(copy)["tools"] = { $ref: "#/components/schemas/None" }), /resolves.*tools/],
    [(copy) => (copy.components.schemas["Lonely"] = { type: "string" }), /used.*Lonely/],
    [
      (copy) => delete path(copy, "/v1/requests/{id}")["get"]?.["parameters"],
      /path parameter.*requests/,
    ],
    [
      (copy) => {
        const parameters = path(copy, "/v1/chat/completions")["post"]?.["parameters"] as
          | Json[]
          | undefined;
        Object.assign(parameters?.[0] ?? {}, { example: "order-4711" });
      },
      /sample.*idempotency-key/,
    ],
    [
      (copy) =>
        Object.assign(path(copy, "/v1/balance")["get"] ?? {}, { operationId: "listModels" }),
      /operationId.*listModels/,
    ],
    [
      (copy) => Object.assign(path(copy, "/v1/balance")["get"] ?? {}, { responses: {} }),
      /responses.*balance/,
    ],
  ];
  for (const [change, found] of cases) assert.match(planted(change), found);
});

test("what a caller may leave out stays so in words: a default is told and is no keyword", () => {
  const described = describeSchema({
    type: "object",
    properties: { n: { type: "integer", description: "How many.", default: 1 } },
  });
  assert.deepEqual(described, {
    type: "object",
    properties: { n: { type: "integer", description: "How many. Default: `1`." } },
  });
  const named = describeSchema({ type: "object", properties: { default: { type: "boolean" } } });
  assert.deepEqual(
    named,
    { type: "object", properties: { default: { type: "boolean" } } },
    "a property of that name is kept",
  );
});

test("what is described is served: every described GET answers, with a described status and media type", async () => {
  for (const [path, method, operation] of operations()) {
    if (method !== "get") continue;
    const answer = await endpoint.get(path.replaceAll(/\{\w+\}/g, "x"));
    const described = operation.responses[String(answer.status)];
    assert.ok(described !== undefined, `${path} answered ${answer.status}, which is not described`);
    const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
    assert.ok(Object.keys(described.content ?? {}).includes(type), `${path}: ${type}`);
    assert.deepEqual([path, operation.security.length > 0], [path, answer.status === 401]);
  }
});

test("every reference resolves, every operation has a name of its own, a summary, and the errors of its family", () => {
  const references = [
    ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
  ].map(([, name]) => name ?? "");
  assert.ok(references.length > 20);
  assert.deepEqual(
    [...new Set(references)].filter((name) => document.components.schemas[name] === undefined),
    [],
  );
  const names = operations().map(([, , operation]) => operation.operationId);
  assert.equal(new Set(names).size, names.length);
  for (const [path, , operation] of operations()) {
    assert.ok(operation.summary !== "", path);
    const messages = /^\/v1\/(quote\/)?messages/.test(path);
    const tasks = /^\/(v1\/(quote\/)?tasks|v1\/storage|static)(\/|$)/.test(path);
    const families = messages
      ? ["AnthropicError"]
      : tasks
        ? ["TaskError"]
        : path.startsWith("/v1/models")
          ? ["OpenAiError", "AnthropicError"]
          : ["OpenAiError"];
    const [family, ...others] = families.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const schema = others.length === 0 ? family : { anyOf: [family, ...others] };
    assert.deepEqual(
      operation.responses["500"]?.content?.["application/json"]?.schema,
      schema,
      path,
    );
    for (const name of path.matchAll(/\{(\w+)\}/g))
      assert.ok(
        operation.parameters?.some(
          (parameter) => parameter.in === "path" && parameter.name === name[1],
        ),
      );
  }
});

test("whatever reads a key or a file from the database may answer that it cannot at the moment, in the status of its protocol", () => {
  for (const [path, , operation] of operations()) {
    if (operation.security.length === 0 && path !== "/static/{name}") continue;
    const statuses = /^\/v1\/(quote\/)?messages/.test(path)
      ? ["529"]
      : path.startsWith("/v1/models")
        ? ["503", "529"]
        : ["503"];
    for (const status of statuses) {
      const headers = operation.responses[status]?.headers ?? {};
      assert.ok("retry-after" in headers && "x-request-id" in headers, `${path} ${status}`);
    }
  }
});

test("the schemas are the ones that validate, and the chat request is among them", () => {
  assert.deepEqual(Object.keys(document.components.schemas), Object.keys(PUBLIC_SCHEMAS));
  assert.deepEqual(
    document.paths["/v1/chat/completions"]?.["post"]?.requestBody?.content["application/json"]
      ?.schema,
    {
      $ref: "#/components/schemas/ChatCompletionRequest",
    },
  );
  assert.deepEqual(
    document.components.schemas["Balance"],
    JSON.parse(JSON.stringify(PUBLIC_SCHEMAS.Balance)),
  );
  const limit = document.paths["/v1/requests"]?.["get"]?.parameters?.find(
    ({ name }) => name === "limit",
  );
  assert.deepEqual((limit as { schema?: { maximum?: number } } | undefined)?.schema?.maximum, 1000);
});

test("the chat endpoints tell their headers: what may be sent, and what every answer may carry", () => {
  for (const [path, limit, sent] of [
    ["/v1/chat/completions", "x-ratelimit-limit-requests", ["idempotency-key"]],
    [
      "/v1/messages",
      "anthropic-ratelimit-requests-limit",
      ["anthropic-version", "anthropic-beta", "idempotency-key"],
    ],
    ["/v1/responses", "x-ratelimit-limit-requests", ["idempotency-key"]],
  ] as const) {
    const operation = document.paths[path]?.["post"];
    const answered = operation?.responses["200"]?.headers ?? {};
    for (const name of ["x-request-id", "x-tollgate-cost", limit])
      assert.ok(name in answered, `${path} ${name}`);
    const limited = operation?.responses["429"]?.headers ?? {};
    for (const name of ["x-request-id", "retry-after", limit])
      assert.ok(name in limited, `${path} ${name}`);
    assert.ok(!(limit in (operation?.responses["400"]?.headers ?? {})));
    const named = operation?.parameters
      ?.filter((parameter) => parameter.in === "header")
      .map(({ name }) => name);
    assert.deepEqual(named, sent);
  }
});

test("an upload is described as a form with one file, a file as bytes and as what a browser gets of it", () => {
  const upload = document.paths["/v1/storage/upload"]?.["post"];
  assert.deepEqual(upload?.requestBody?.content, {
    "multipart/form-data": { schema: { $ref: "#/components/schemas/UploadRequest" } },
  });
  for (const status of ["400", "401", "403", "408", "413", "507"])
    assert.ok(status in (upload?.responses ?? {}), status);
  const file = document.paths["/static/{name}"]?.["get"];
  assert.deepEqual(Object.keys(file?.responses ?? {}), [
    "200",
    "206",
    "302",
    "304",
    "404",
    "405",
    "410",
    "412",
    "416",
    "500",
    "503",
  ]);
  assert.deepEqual(document.paths["/v1/storage/files/{name}"]?.["delete"]?.security?.length, 2);
});

test("it names the address and the version of this server", () => {
  assert.deepEqual(
    [document.openapi, document.info.version, document.servers[0]?.url],
    ["3.1.0", "1.2.3", endpoint.url],
  );
});
