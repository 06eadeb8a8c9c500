/** Withdraws an invitation of one's account: its link leads nowhere from then on. */
import { deleteInvitation, invitationsOf } from "../../accounts/invitations.store.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import type { MembersDeps } from "./members-deps.ts";

/** Throws Fault("not_found"). */
export async function withdrawInvitation(
  { db }: Pick<MembersDeps, "db">,
  caller: MemberCaller,
  invitationId: Uuid,
): Promise<void> {
  await db.transaction(async (tx) => {
    const open = await invitationsOf(tx, caller.accountId);
    const email = open.find((one) => one.invitationId === invitationId)?.email ?? null;
    if (!(await deleteInvitation(tx, caller.accountId, invitationId))) throw new Fault("not_found");
    const about = { subjectId: invitationId, subject: email, before: null, after: null };
    await recordAct(tx, caller, { action: "member.withdraw", ...about });
  });
}
