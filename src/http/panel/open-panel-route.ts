/**
 * Routes of the panel for guests, by their line in the panel's table: what they send is taken from
 * our own pages only.
 */
import type {
  AnswerOf,
  BodyOf,
  JsonRouteName,
  PlainRouteName,
} from "../../contract/panel/routes/panel-api.ts";
import type { OpenRoute, RouteCall } from "../route.ts";
import { answerOf, panelHead, type JsonAnswer } from "./panel-head.ts";

export function openPanelRoute<Name extends JsonRouteName & PlainRouteName>(
  name: Name,
  handle: (
    call: RouteCall<unknown> & { readonly body: BodyOf<Name> },
  ) => Promise<JsonAnswer<AnswerOf<Name>>>,
): OpenRoute {
  return {
    ...panelHead(name),
    access: "open",
    sameOrigin: true,
    headers: { "cache-control": "no-store" },
    handle: async (call) =>
      answerOf(name, await handle(call as RouteCall<unknown> & { readonly body: BodyOf<Name> })),
  };
}
