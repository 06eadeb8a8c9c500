/**
 * Lets an operator see the panel as a member of an account for half an hour. Both logs have it, the
 * operators' and the account's: who, and until when at most.
 */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { findAccount } from "../../accounts/store.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { TokenHash } from "../../kernel/opaque-token.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import { newSeeAsGrant, SEE_AS_MS } from "../members/see-as-grant.ts";
import { recordAction } from "./audit.store.ts";
import { actorOf } from "./operator.ts";

interface SeeAsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly hashToken: TokenHash;
}

/** Throws Fault("not_found"). */
export async function beginSeeAs(
  { db, clock, hashToken }: SeeAsDeps,
  { sessionId, memberId, email }: MemberCaller,
  accountId: Uuid,
): Promise<{ readonly grant: string; readonly until: Date }> {
  const until = new Date(clock.now().getTime() + SEE_AS_MS);
  const about = { action: "account.see_as", subject: null, before: null } as const;
  const after = { until: until.toISOString() };
  await db.transaction(async (tx) => {
    if ((await findAccount(tx, accountId)) === null) throw new Fault("not_found");
    await recordAction(tx, {
      ...actorOf({ memberId, email }),
      ...about,
      accountId,
      reason: null,
      after,
    });
    await recordAct(tx, { accountId, memberId, email }, { ...about, subjectId: null, after });
  });
  return { grant: newSeeAsGrant(hashToken, sessionId, { accountId, until }), until };
}
