/**
 * Protects: the description of the panel's API has every route of the table and none of the faults
 * that linters refuse; it is for everybody, and the public one leaves the panel out.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiFaults } from "../../../test/support/openapi-faults.ts";
import { openPanelEndpoint } from "../../../test/support/panel-endpoint.ts";
import { PANEL_ROUTES, PANEL_SUBJECTS } from "../../contract/panel/routes/panel-routes.ts";
import { panelOpenApiDocument } from "./panel-openapi.ts";
import { panelRoutes } from "./panel-routes.ts";

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<string, { readonly content: Record<string, object> }>;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

const document = (baseUrl = "http://127.0.0.1:8080"): Document & object =>
  JSON.parse(
    JSON.stringify(
      panelOpenApiDocument({
        baseUrl,
        version: "1.2.3",
        needsOf: () => "operator",
        isSeen: () => false,
      }),
    ),
  ) as Document;

test("it has every route of the table once, and none of the faults that linters refuse", () => {
  const described = Object.entries(document().paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = Object.keys(PANEL_ROUTES).map((name) => name.replace("{+", "{"));
  assert.deepEqual(described.toSorted(), listed.toSorted());
  const bySubject = Object.values(PANEL_SUBJECTS).flatMap((table) => Object.keys(table));
  assert.equal(bySubject.length, listed.length, "a route stands in two files of the table");
  assert.deepEqual(openApiFaults(document()), []);
});

test("bodies are named, a raw body and a stream have their media types, and roles are told", () => {
  const { paths, servers, components } = document("https://api.example");
  assert.equal(servers[0]?.url, "https://api.example/panel/api");
  const make = paths["/keys"]?.["post"];
  assert.deepEqual(make?.requestBody?.content, {
    "application/json": { schema: { $ref: "#/components/schemas/NewPanelKey" } },
  });
  assert.deepEqual(make?.responses["201"]?.content, {
    "application/json": { schema: { $ref: "#/components/schemas/PanelKeyMade" } },
  });
  assert.match(make?.description ?? "", /operators/);
  const upload = paths["/playground/files"]?.["post"]?.requestBody?.content;
  assert.deepEqual(Object.keys(upload ?? {}), ["multipart/form-data"]);
  const chat = paths["/playground/messages"]?.["post"]?.responses["200"]?.content;
  assert.deepEqual(Object.keys(chat ?? {}), ["application/json", "text/event-stream"]);
  assert.ok("PanelErrorBody" in components.schemas);
});

test("it is served to everybody, with the roles that the routes ask for", async (t) => {
  const nothing: unknown = new Proxy(() => undefined, { get: () => nothing });
  const about = { baseUrl: () => "http://127.0.0.1:8080", version: "1.2.3" };
  const routes = panelRoutes(nothing as Parameters<typeof panelRoutes>[0], about);
  const endpoint = await openPanelEndpoint(routes);
  t.after(() => endpoint.close());
  const answer = await endpoint.ask(null, "GET", "/panel/api/openapi.json");
  assert.equal(answer.status, 200);
  const { paths } = answer.json<Document>();
  const forWhom = (path: string, method: string) => paths[path]?.[method]?.description;
  assert.match(forWhom("/keys", "get") ?? "", /every member/);
  assert.match(forWhom("/members/{id}/role", "post") ?? "", /owners/);
  assert.match(forWhom("/playground/messages", "post") ?? "", /managers/);
  assert.match(forWhom("/operator/overview", "get") ?? "", /operators.*404/);
  assert.deepEqual(paths["/log-in"]?.["post"]?.security, []);
  assert.deepEqual(paths["/session"]?.["get"]?.security, [{ session: [] }]);
});
