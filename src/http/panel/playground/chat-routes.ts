/**
 * Chat in the playground: what the router knows of the two raw routes, and the routes that quote,
 * with a key that the member chose.
 */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../../../contract/enums/chat-endpoint.ts";
import { CHAT_PLACES, type ChatPlace } from "../../chat-places.ts";
import { CHAT_BODY_LIMIT_BYTES } from "../../../kernel/limits.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { panelChatQuoteBody } from "../../chat-quote-body.ts";
import { memberBytesRoute } from "../member-route.ts";
import type { RawRoute, Route, RouteCall } from "../../route.ts";
import type { QuotesRouteDeps } from "../../routes/quotes.ts";

/**
 * Whose key a request of the playground is made through: that of its header, if it is the account's
 * and may be used.
 */
export interface KeyChoice {
  /** Throws Fault: `invalid_request`, `not_found`, `permission_denied`. */
  chooseKey(
    member: Pick<MemberCaller, "accountId">,
    headers: RouteCall<unknown>["headers"],
  ): Promise<KeyRecord>;
}

export type PlaygroundChatUseCases = KeyChoice & QuotesRouteDeps;

export const PLAYGROUND_PREFIX = "/panel/api/playground";

export function playgroundChatRoutes(useCases: PlaygroundChatUseCases): Route[] {
  return [
    ...CHAT_ENDPOINTS.map((endpoint) => rawRoute(CHAT_PLACES[endpoint])),
    ...CHAT_ENDPOINTS.map((endpoint) => quoteRoute(useCases, endpoint)),
  ];
}

function rawRoute({ path, errors }: ChatPlace): RawRoute {
  const operationId = `panel POST ${PLAYGROUND_PREFIX}${path}`;
  return {
    method: "POST",
    path: `${PLAYGROUND_PREFIX}${path}`,
    access: "raw",
    family: errors,
    doc: {
      operationId,
      summary: operationId,
      tag: "Panel",
      internal: true,
      responses: {},
      errors: [],
    },
  };
}

function quoteRoute(useCases: PlaygroundChatUseCases, endpoint: ChatEndpoint): Route {
  return memberBytesRoute({
    method: "POST",
    path: `${PLAYGROUND_PREFIX}/quote${CHAT_PLACES[endpoint].path}`,
    needs: "manager",
    bodyLimitBytes: CHAT_BODY_LIMIT_BYTES,
    async handle({ member, headers, body, clientAddress: ip }) {
      const key = await useCases.chooseKey(member, headers);
      return {
        content: {
          json: panelChatQuoteBody(await useCases.quoteChat(endpoint, { key, ip, body })),
        },
      };
    },
  });
}
