/**
 * Chat in the playground: what the router knows of the two raw routes, and the routes that quote,
 * with a key that the member chose.
 */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../../../contract/enums/chat-endpoint.ts";
import type { RawRouteName } from "../../../contract/panel/routes/panel-api.ts";
import { CHAT_PLACES } from "../../chat-places.ts";
import { CHAT_BODY_LIMIT_BYTES } from "../../../kernel/limits.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { panelChatQuoteBody } from "../../chat-quote-body.ts";
import { memberBytesRoute } from "../member-route.ts";
import { panelHead } from "../panel-head.ts";
import type { Route, RouteCall } from "../../route.ts";
import type { QuotesRouteDeps } from "../../routes/quotes.ts";

/**
 * Whose key a request of the playground is made through: that of its header, if it is the account's,
 * of a developer its own, and may be used.
 */
export interface KeyChoice {
  /** Throws Fault: `invalid_request`, `not_found`, `permission_denied`. */
  chooseKey(member: MemberCaller, headers: RouteCall<unknown>["headers"]): Promise<KeyRecord>;
}

export type PlaygroundChatUseCases = KeyChoice & QuotesRouteDeps;

/** The raw routes and those that quote, by the endpoint of the API that each is like. */
const NAMES = {
  "chat.completions": {
    chat: "POST /playground/chat/completions",
    quote: "POST /playground/quote/chat/completions",
  },
  messages: { chat: "POST /playground/messages", quote: "POST /playground/quote/messages" },
  responses: { chat: "POST /playground/responses", quote: "POST /playground/quote/responses" },
} as const satisfies Record<ChatEndpoint, Record<"chat" | "quote", RawRouteName>>;

export function playgroundChatRoutes(useCases: PlaygroundChatUseCases): Route[] {
  return CHAT_ENDPOINTS.flatMap((endpoint): Route[] => [
    {
      ...panelHead(NAMES[endpoint].chat),
      access: "raw",
      family: CHAT_PLACES[endpoint].errors,
    },
    memberBytesRoute(NAMES[endpoint].quote, {
      needs: "keyholder",
      bodyLimitBytes: CHAT_BODY_LIMIT_BYTES,
      async handle({ member, headers, body, clientAddress: ip }) {
        const key = await useCases.chooseKey(member, headers);
        return { json: panelChatQuoteBody(await useCases.quoteChat(endpoint, { key, ip, body })) };
      },
    }),
  ]);
}
