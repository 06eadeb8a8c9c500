/**
 * Calls that are no chat in the playground: what the router knows of the raw routes, and those of
 * the API for images and quotes, with a key that the member chose.
 */
import { CALL_ENDPOINTS_OF } from "../../../contract/enums/call-endpoint.ts";
import type { PLAYGROUND_CALL_ROUTES } from "../../../contract/panel/routes/playground-call-routes.ts";
import { JSON_CALLS } from "../../../protocol/calls/json-calls.ts";
import { transcriptProtocol } from "../../../protocol/calls/transcription.ts";
import type { KeyRoute, Route } from "../../route.ts";
import { callQuoteRoutes } from "../../routes/calls.ts";
import { imagesRoutes, type ImagesRouteDeps } from "../../routes/images.ts";
import { mediaQuoteRoutes, type MediaQuoteRouteDeps } from "../../routes/media-quotes.ts";
import { checkMemberAccess } from "../member-access.ts";
import type { PanelRoute } from "../member-route.ts";
import { answerOf, panelHead } from "../panel-head.ts";
import type { KeyChoice } from "./chat-routes.ts";

export interface PlaygroundCallRouteDeps extends KeyChoice {
  readonly calls: ImagesRouteDeps & Omit<MediaQuoteRouteDeps, "forPages">;
}

type CallRouteName = keyof typeof PLAYGROUND_CALL_ROUTES;

export function playgroundCallRoutes({ calls, chooseKey }: PlaygroundCallRouteDeps): Route[] {
  const raw = [...JSON_CALLS, ...CALL_ENDPOINTS_OF.transcription.map(transcriptProtocol)];
  const asking = { ...calls, forPages: true } as const;
  const routed = [...imagesRoutes(calls), ...callQuoteRoutes(asking), ...mediaQuoteRoutes(asking)];
  return [
    ...raw.map(({ path }): Route => ({
      ...panelHead(`POST /playground${path}` as CallRouteName),
      access: "raw",
    })),
    ...routed.map((route) => ofMembers(route as KeyRoute, { chooseKey })),
  ];
}

/** A route of the API for sessions: the key that was chosen stands where the API has the caller's. */
function ofMembers(route: KeyRoute, { chooseKey }: KeyChoice): PanelRoute {
  const name = `POST /playground${route.path.slice("/v1".length)}` as CallRouteName;
  const { bodyLimitBytes, streamed, waits } = route;
  return {
    ...panelHead(name),
    access: "member",
    needs: "keyholder",
    admit: (member) => checkMemberAccess(member, "keyholder"),
    ...(bodyLimitBytes === undefined ? {} : { bodyLimitBytes }),
    ...(streamed === undefined ? {} : { streamed }),
    ...(waits === undefined ? {} : { waits }),
    async handle(call) {
      const choose = () => chooseKey(call.member, call.headers);
      const key = await (waits === true ? call.withinGate(choose) : choose());
      const answer = await route.handle({ ...call, key });
      const { content, headers = {} } = answer;
      return "json" in content ? answerOf(name, { json: content.json, headers }) : answer;
    },
  };
}
