/** The playground, tasks and files: put together for the panel. */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { PlaygroundUseCases } from "../../http/panel/playground-routes.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export interface PlaygroundDeps extends PanelDeps {
  /** For what is answered on the raw request, outside the router. */
  authenticateMember(headers: IncomingHttpHeaders): Promise<MemberCaller>;
}

export function openPlayground(_deps: PlaygroundDeps): PanelPart<PlaygroundUseCases> {
  return { useCases: {}, close: async () => undefined };
}
