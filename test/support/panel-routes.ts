/**
 * The table of all routes for tests that go through it: whom each answers, and what its parameter
 * names.
 */
import assert from "node:assert/strict";
import { createRoutes } from "../../src/http/create-http-server.ts";
import type { MemberNeeds } from "../../src/http/panel/member-access.ts";
import type { PanelRoute } from "../../src/http/panel/member-route.ts";
import type { Route } from "../../src/http/route.ts";

export const CHAT_MODEL = "sandbox-small";
export const TASK_MODEL = "seedance-2";

/** What a path parameter names; each is some account's. */
export type Thing =
  | "session"
  | "passkey"
  | "member"
  | "invitation"
  | "key"
  | "group"
  | "request"
  | "task"
  | "file"
  | "batchFile"
  | "batch"
  | "messageBatch"
  | "response"
  | "topUp"
  | "alert"
  | "account";

/** The table that the gateway serves, without anything behind it. */
export function routeTable(): readonly Route[] {
  const nothing: unknown = new Proxy(() => assert.fail("the table calls nothing"), {
    get: (_, name) =>
      name === "staticPath" ? "/static" : name === "uploadLimitBytes" ? 1 : nothing,
  });
  return createRoutes(new Proxy({}, { get: () => nothing }) as Parameters<typeof createRoutes>[0]);
}

export const nameOf = (route: Pick<Route, "method" | "path">): string =>
  `${route.method} ${route.path}`;

/**
 * By the path up to it, what a parameter names that belongs to an account; the longest path
 * decides.
 */
const OWNED: Readonly<Record<string, Thing>> = {
  "/panel/api/sessions/{id}": "session",
  "/panel/api/passkeys/{id}": "passkey",
  "/panel/api/members/invitations/{id}": "invitation",
  "/panel/api/members/{id}": "member",
  "/panel/api/keys/{hash}": "key",
  "/panel/api/groups/{id}": "group",
  "/panel/api/requests/{id}": "request",
  "/panel/api/tasks/{id}": "task",
  "/panel/api/files/{name}": "file",
  "/panel/api/batches/{id}": "batch",
  "/panel/api/top-ups/{id}": "topUp",
  "/panel/api/alerts/{id}": "alert",
  "/panel/api/operator/accounts/{id}": "account",
  "/panel/api/operator/payments/{id}": "topUp",
  "/panel/api/operator/requests/{id}": "request",
  "/panel/api/operator/tasks/{id}": "task",
  "/v1/requests/{id}": "request",
  "/v1/responses/{id}": "response",
  "/v1/tasks/{id}": "task",
  "/v1/storage/files/{name}": "file",
  "/v1/files/{id}": "batchFile",
  "/v1/batches/{id}": "batch",
  "/v1/messages/batches/{id}": "messageBatch",
};

/** What is everybody's, and an example of it. */
const SHARED: Readonly<Record<string, string>> = {
  "/panel/api/quote/tasks/{model}": TASK_MODEL,
  "/panel/api/playground/tasks/{model}": TASK_MODEL,
  "/panel/api/playground/quote/tasks/{model}": TASK_MODEL,
  "/panel/api/operator/catalogue/versions/{version}": "1",
  "/panel/api/operator/sign-up-codes/{id}/withdraw": "019adf3e-0000-7000-8000-000000000000",
  "/v1/tasks/{model}": TASK_MODEL,
  "/v1/quote/tasks/{model}": TASK_MODEL,
  "/v1/models/{id}": CHAT_MODEL,
  "/v1/callbacks/{upstream}/{token}": "nobody",
  "/payments/notify/{provider}": "nobody",
  // Results and uploads are given away by their links, which a stranger cannot guess.
  "/static/{name}": "nobody",
  "/panel/assets/{name}": "nothing.js",
  "/panel/brand/{name}": "nothing.png",
  "/panel/{path}": "keys",
  "/ru/docs/tasks/{table}": "t19",
  "/en/docs/tasks/{table}": "t19",
  "/ru/models/{id}": CHAT_MODEL,
  "/en/models/{id}": CHAT_MODEL,
  "/ru/{path}": "nothing",
  "/en/{path}": "nothing",
  "/site/{name}": "nothing.js",
};

/** What the route's parameter names; null: it has none. A path that is in neither list fails. */
export function thingOf({
  path,
}: Pick<Route, "path">): { readonly owned: Thing } | { readonly shared: string } | null {
  if (!path.includes("{")) return null;
  const begin = Object.keys(OWNED)
    .filter((one) => path === one || path.startsWith(`${one}/`))
    .toSorted((a, b) => b.length - a.length)[0];
  const owned = begin === undefined ? undefined : OWNED[begin];
  if (owned !== undefined) return { owned };
  const shared = SHARED[path];
  if (shared === undefined)
    assert.fail(`${path}: say in panel-things.ts whose its parameter is, and how one is made`);
  return { shared };
}

/** All things that the paths of these routes name: each once. */
export function ownedBy(routes: readonly Pick<Route, "path">[]): readonly Thing[] {
  const things = routes.map(thingOf).filter((thing) => thing !== null && "owned" in thing);
  return [...new Set(things.map(({ owned }) => owned))];
}

/** The path with the id in place of what is in braces. */
export const pathWith = (path: string, id: string): string =>
  path.replaceAll(/\{\w+\}/g, encodeURIComponent(id));

/** One of the thing's form that never was. */
export function neverOf(thing: Thing): string {
  const uuid = "01890000-0000-7000-8000-0000000000aa";
  if (thing === "key") return "ab".repeat(32);
  if (thing === "request") return `req_${uuid.replaceAll("-", "")}`;
  if (thing === "batchFile") return `file-${uuid.replaceAll("-", "")}`;
  if (thing === "batch") return `batch_${uuid.replaceAll("-", "")}`;
  if (thing === "messageBatch") return `msgbatch_${uuid.replaceAll("-", "")}`;
  if (thing === "response") return `resp_${uuid.replaceAll("-", "")}`;
  if (thing === "file") return `${"a1".repeat(16)}.txt`;
  return uuid;
}

const NEEDED_BY_RAW: Readonly<Record<string, MemberNeeds | "key">> = {
  "POST /v1/chat/completions": "key",
  "POST /v1/messages": "key",
  "POST /v1/responses": "key",
  "POST /v1/responses/compact": "key",
  "POST /v1/completions": "key",
  "POST /v1/embeddings": "key",
  "POST /v1/rerank": "key",
  "POST /v1/moderations": "key",
  "POST /v1/audio/speech": "key",
  "POST /v1/audio/transcriptions": "key",
  "POST /v1/audio/translations": "key",
  "POST /panel/api/playground/chat/completions": "keyholder",
  "POST /panel/api/playground/messages": "keyholder",
  "POST /panel/api/playground/responses": "keyholder",
  "POST /panel/api/playground/completions": "keyholder",
  "POST /panel/api/playground/embeddings": "keyholder",
  "POST /panel/api/playground/rerank": "keyholder",
  "POST /panel/api/playground/moderations": "keyholder",
  "POST /panel/api/playground/audio/speech": "keyholder",
  "POST /panel/api/playground/audio/transcriptions": "keyholder",
  "POST /panel/api/playground/audio/translations": "keyholder",
};

/** Whom it answers. Null: everybody. */
export function needsOf(route: Route): MemberNeeds | "key" | null {
  if (route.access === "open") return null;
  if (route.access === "key") return "key";
  if (route.access === "member")
    return (
      (route as PanelRoute).needs ??
      assert.fail(`${nameOf(route)}: a member's route that is not the panel's`)
    );
  return (
    NEEDED_BY_RAW[nameOf(route)] ?? assert.fail(`${nameOf(route)}: say whom this raw route answers`)
  );
}

export const isOperators = (route: Route): boolean => needsOf(route) === "operator";

/** Those whose parameter names something of an account. */
export function ownedRoutes(
  of: readonly Route[],
): { readonly route: Route; readonly thing: Thing }[] {
  return of.flatMap((route) => {
    const thing = thingOf(route);
    return thing !== null && "owned" in thing ? [{ route, thing: thing.owned }] : [];
  });
}
