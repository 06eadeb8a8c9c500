/**
 * Tells the browser of a member who changed something to say so for a while, so that its next lists
 * are read where the change was written, whichever process they reach.
 */
import type { Answer, MemberCall, Route, RouteCall } from "../route.ts";

/** @param cookie what each answer to a change sets besides. */
export function markChanges(routes: readonly Route[], cookie: () => string): Route[] {
  return routes.map((route) => marked(route, cookie));
}

function marked(route: Route, cookie: () => string): Route {
  if (route.method === "GET") return route;
  if (route.access === "member")
    return {
      ...route,
      handle: async (call: MemberCall<unknown>) => withCookie(await route.handle(call), cookie()),
    };
  // Those of guests that pages of ours send: they sign up, accept an invitation, reset a password.
  if (route.access === "open" && route.sameOrigin === true)
    return {
      ...route,
      handle: async (call: RouteCall<unknown>) => withCookie(await route.handle(call), cookie()),
    };
  return route;
}

function withCookie(answer: Answer, cookie: string): Answer {
  const set = answer.headers?.["set-cookie"] ?? [];
  const cookies = typeof set === "string" ? [set, cookie] : [...set, cookie];
  return { ...answer, headers: { ...answer.headers, "set-cookie": cookies } };
}
