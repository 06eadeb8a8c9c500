/** Who is logged in to the panel: what every request of a session is judged by. */
import type { Uuid } from "../kernel/ids.ts";

/** What a member may do in its account, each more than the one before: look; keys, money and requests; everything, other members among it. */
export const MEMBER_ROLES = ["viewer", "manager", "owner"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** What is still asked of a session before it may do anything: a code of the second factor, or a password of the member's own. */
export type SessionStage = "full" | "totp" | "password";

export interface MemberCaller {
  readonly sessionId: Uuid;
  readonly memberId: Uuid;
  readonly accountId: Uuid;
  readonly email: string;
  readonly role: MemberRole;
  /** Of the business that runs the gateway: may act on all accounts. */
  readonly operator: boolean;
  readonly language: "ru" | "en";
  readonly stage: SessionStage;
}
