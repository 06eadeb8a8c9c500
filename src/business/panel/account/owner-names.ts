/** How owners of keys are called in lists. */
import { memberNames } from "../../../accounts/members.store.ts";
import type { PanelKeyOwner } from "../../../contract/panel/spend.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";

/** By id; who is no member of the account is missing. */
export async function ownerNames(
  q: Queryable,
  accountId: Uuid,
  ownerIds: readonly (Uuid | null)[],
): Promise<ReadonlyMap<Uuid, PanelKeyOwner>> {
  const wanted = [...new Set(ownerIds.flatMap((id) => id ?? []))];
  if (wanted.length === 0) return new Map();
  const rows = await memberNames(q, accountId, wanted);
  return new Map(
    rows.map(({ memberId, name, email }) => [memberId, { memberId, name: name ?? email }]),
  );
}
