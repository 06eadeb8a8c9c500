/**
 * Protects: the panel's API is its table: what stands there is served, once, and nothing else is;
 * and a route compiles only with the query, the parameters and the answer that the table says.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, routeTable } from "../../../test/support/panel-routes.ts";
import type { JsonRouteName, PlainRouteName } from "../../contract/panel/routes/panel-api.ts";
import { PANEL_ROUTES } from "../../contract/panel/routes/panel-routes.ts";
import { memberRoute } from "./member-route.ts";
import { PANEL_API_ROOT } from "./panel-head.ts";

test("what the table lists is served, and nothing else below the API's root", () => {
  const served = routeTable()
    .filter(({ path }) => path.startsWith(`${PANEL_API_ROOT}/`))
    .map(nameOf);
  const listed = Object.keys(PANEL_ROUTES).map((name) =>
    name.replace(" ", ` ${PANEL_API_ROOT}`).replace("{+", "{"),
  );
  assert.deepEqual(served.toSorted(), listed.toSorted());
});

/** The compiler's own tests: each `@ts-expect-error` is an error where the next line is none. */
test("a route has the table's query, parameters, body and answer, or does not compile", () => {
  const route = <Name extends JsonRouteName & PlainRouteName>(
    name: Name,
    handle: Parameters<typeof memberRoute<Name>>[1]["handle"],
  ) => memberRoute(name, { needs: "viewer", handle });
  const routes = [
    () => memberRoute("GET /session", { needs: "viewer", seen: true, handle: () => assert.fail() }),
    // @ts-expect-error: what changes something is not seen
    () => memberRoute("POST /log-in", { needs: "viewer", seen: true, handle: () => assert.fail() }),
    () => route("GET /visitor", () => ({ json: { session: null } })),
    // @ts-expect-error: not in the table
    () => route("GET /visitors", () => ({ json: { session: null } })),
    // @ts-expect-error: another answer
    () => route("GET /visitor", () => ({ json: { session: "none" } })),
    // @ts-expect-error: a part of the answer is missing
    () => route("POST /members/accept", () => ({ json: {} })),
    () => route("DELETE /keys/{hash}", ({ params }) => ({ json: { reported: params.hash } })),
    // @ts-expect-error: no such parameter
    () => route("DELETE /keys/{hash}", ({ params }) => ({ json: { reported: params.id } })),
    // @ts-expect-error: no such field in the body
    () => route("POST /verify-email", ({ body }) => ({ json: { email: body.email } })),
    () =>
      route("GET /keys", ({ query }) => ({ json: { data: [], nextCursor: query.cursor ?? "" } })),
    // @ts-expect-error: no such word in the query
    () => route("GET /keys", ({ query }) => ({ json: { data: [], nextCursor: query.word } })),
  ];
  assert.ok(routes.length > 0);
});
