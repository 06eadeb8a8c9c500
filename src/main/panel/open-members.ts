/** Members and their sessions: put together for the panel. */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { MembersUseCases } from "../../http/panel/members-routes.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export interface Members extends PanelPart<MembersUseCases> {
  /** Whose session it is; throws Fault("session_required"). */
  authenticateMember(headers: IncomingHttpHeaders): Promise<MemberCaller>;
}

export function openMembers(_deps: PanelDeps): Members {
  return {
    useCases: {},
    authenticateMember: async () => {
      throw new Fault("session_required");
    },
    close: async () => undefined,
  };
}
