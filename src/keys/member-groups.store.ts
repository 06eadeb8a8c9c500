/** Into which group the keys go that a member makes as a developer. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

interface MemberGroup {
  readonly id: Uuid;
  readonly name: string;
}

const MEMBER_GROUPS = statement({
  text: `SELECT m.member_id AS "memberId", g.group_id AS id, g.name FROM keys.member_groups m JOIN keys.groups g USING (account_id, group_id)
     WHERE m.account_id = $1`,
  parameters: [sql.uuid],
  row: { memberId: sql.uuid, id: sql.uuid, name: sql.text },
});

/** By member; who has none is missing. */
export async function memberGroups(
  q: Queryable,
  accountId: Uuid,
): Promise<ReadonlyMap<Uuid, MemberGroup>> {
  const rows = await q.run(MEMBER_GROUPS, [accountId]);
  return new Map(rows.map(({ memberId, ...group }) => [memberId, group]));
}

const SET = statement({
  text: `INSERT INTO keys.member_groups (account_id, member_id, group_id) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, member_id) DO UPDATE SET group_id = excluded.group_id`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
});
const UNSET = statement({
  text: "DELETE FROM keys.member_groups WHERE account_id = $1 AND member_id = $2",
  parameters: [sql.uuid, sql.uuid],
});

/** Of a member and a group that are locked; null: into none. */
export async function setMemberGroup(
  tx: Queryable,
  {
    accountId,
    memberId,
    groupId,
  }: { readonly accountId: Uuid; readonly memberId: Uuid; readonly groupId: Uuid | null },
): Promise<void> {
  if (groupId === null) await tx.run(UNSET, [accountId, memberId]);
  else await tx.run(SET, [accountId, memberId, groupId]);
}
