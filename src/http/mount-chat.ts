/** The raw routes of chat, one for every dialect, wherever they are mounted: in the API or the panel. */
import type { IncomingHttpHeaders } from "node:http";
import { CHAT_ENDPOINTS } from "../contract/enums/chat-endpoint.ts";
import { formatRequestId } from "../kernel/ids.ts";
import type { ChatDialect } from "../protocol/chat-dialect.ts";
import { CHAT_DIALECTS } from "../protocol/chat-dialects.ts";
import { compactDialect } from "../protocol/responses/compacting-dialects.ts";
import type { Caller } from "../serving/admission/find-caller.ts";
import { attachRefusal, withRefusalEvents } from "./attach-refusal.ts";
import { CHAT_PLACES, type ChatPlace } from "./chat-places.ts";
import { createChatRoute } from "./chat-route.ts";
import { renderFault } from "./error-family.ts";
import type { RawHandler } from "./node-server.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import { reportDone } from "./report-raw-done.ts";
import type { ChatReports } from "./report-chat.ts";
import type { RequestDone } from "./request-log.ts";

/** Where chat is answered, and whom it is answered to. */
export interface ChatMount {
  /** Its callers are pages: they get the panel's refusal beside that of the protocol. */
  readonly forPages?: boolean;
  /** Before `/chat/completions` and `/messages`. */
  readonly prefix: string;
  /** Throws the fault that refuses the caller. `fresh`: as a chat route asks for it. */
  authenticate(headers: IncomingHttpHeaders, fresh: boolean): Caller | Promise<Caller>;
}

type ChatRouteDeps = Parameters<typeof createChatRoute<ChatDialect>>[0];

export interface ChatMountDeps extends Pick<
  ChatRouteDeps,
  "service" | "clock" | "tracer" | "clientAddress" | "refusals" | "stalledMs"
> {
  readonly takeExtra: ChatReports["takeExtra"];
  requestDone(done: RequestDone): void;
}

/** By path: every protocol, with nothing else about it but who is asking. */
export function mountChat(deps: ChatMountDeps, mount: ChatMount): ReadonlyMap<string, RawHandler> {
  const { errors, path } = CHAT_PLACES.responses;
  const compact: ChatAt = { path: `${path}/compact`, errors, dialect: compactDialect };
  const all = CHAT_ENDPOINTS.map((endpoint): ChatAt => ({
    ...CHAT_PLACES[endpoint],
    dialect: CHAT_DIALECTS[endpoint],
  }));
  // Pages have no use for it, and would have to describe it.
  const served = mount.forPages === true ? all : [...all, compact];
  return new Map(served.map((at) => routeAt(deps, mount, at)));
}

interface ChatAt extends ChatPlace {
  readonly dialect: ChatDialect;
}

function routeAt(
  { takeExtra, requestDone, ...deps }: ChatMountDeps,
  { prefix, forPages = false, authenticate }: ChatMount,
  { path, errors, dialect }: ChatAt,
): readonly [string, RawHandler] {
  const route = prefix + path;
  const handler = createChatRoute({
    ...deps,
    path: route,
    dialect: forPages ? withRefusalEvents(dialect) : dialect,
    authenticate,
    renderError(fault, requestId) {
      const id = formatRequestId(requestId);
      const rendered = renderFault(errors, fault, id);
      return forPages ? attachRefusal(rendered, fault, id) : rendered;
    },
    renderStanding: (standing) => rateLimitHeaders(errors, standing, false),
    onDone: reportDone({ clock: deps.clock, requestDone, takeExtra }, route),
  });
  return [route, handler];
}
