/** Chooses the group into which the keys of a developer go: the bound of what they spend. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { holdColleague, memberNames } from "../../accounts/members.store.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { findGroup, lockGroup } from "../../keys/groups.store.ts";
import { memberGroups, setMemberGroup } from "../../keys/member-groups.store.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import type { MembersDeps } from "./members-deps.ts";

/**
 * Keys that are there stay where they are. Throws the same Fault("not_found") for another account's
 * member or group and for one that never was, Fault("conflict") for a group that was deleted.
 */
export async function chooseMemberGroup(
  { db }: Pick<MembersDeps, "db">,
  caller: MemberCaller,
  { memberId, groupId }: { readonly memberId: Uuid; readonly groupId: Uuid | null },
): Promise<void> {
  const { accountId } = caller;
  await db.transaction(async (tx) => {
    // The group before the member, as who makes a key has them.
    if (groupId !== null) await lockGroup(tx, accountId, groupId);
    if (!(await holdColleague(tx, accountId, memberId))) throw new Fault("not_found");
    const group = groupId === null ? null : await findGroup(tx, accountId, groupId);
    if (groupId !== null && group === null) throw new Fault("not_found");
    if (group !== null && group.deletedAt !== null)
      throw new Fault("conflict", sayRefusal("group_deleted"));
    const was = (await memberGroups(tx, accountId)).get(memberId) ?? null;
    if ((was?.id ?? null) === groupId) return;
    await setMemberGroup(tx, { accountId, memberId, groupId });
    const [named] = await memberNames(tx, accountId, [memberId]);
    const about = { subjectId: memberId, subject: named?.email ?? null };
    const groups = { before: { group: was?.name ?? null }, after: { group: group?.name ?? null } };
    await recordAct(tx, caller, { action: "member.group", ...about, ...groups });
  });
}
