/** Who is logged in to the panel: what every request of a session is judged by. */
import type { Language } from "../contract/enums/language.ts";
import type { MemberRole } from "../contract/enums/member-role.ts";
import type { SessionStage } from "../contract/enums/session-stage.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface MemberCaller {
  readonly sessionId: Uuid;
  readonly memberId: Uuid;
  readonly accountId: Uuid;
  readonly email: string;
  readonly role: MemberRole;
  /** May look and change nothing: a developer of a blocked account. Absent: what its role may. */
  readonly looksOnly?: boolean;
  /** Of the business that runs the gateway: may act on all accounts. */
  readonly operator: boolean;
  readonly language: Language;
  readonly stage: SessionStage;
  /**
   * An operator who sees this account as its members do, until then, and changes nothing. The id and
   * the e-mail are the operator's, everything else is what a viewer of the account has. Absent: a
   * member of it.
   */
  readonly seeing?: { readonly until: Date };
}
