/** What operators did, newest first. */
import { listActions, type ActionSearch } from "./audit.store.ts";
import type { AuditList } from "../../contract/panel/operator-audit.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { readPage, type PageRequest } from "../../serving/read-page.ts";
import { accountNames } from "./find-accounts.store.ts";

export type AuditQuery = PageRequest & Omit<ActionSearch, "before" | "limit">;

export async function listAudit(q: Queryable, query: AuditQuery): Promise<AuditList> {
  const { accountId, memberId, action, from, to } = query;
  const page = await readPage(
    query,
    (part) => listActions(q, { accountId, memberId, action, from, to, ...part }),
    ({ auditId }) => auditId,
  );
  const names = await accountNames(q, [
    ...new Set(page.rows.flatMap((row) => row.accountId ?? [])),
  ]);
  const nameOf = (id: Uuid | null): string | null => (id === null ? null : (names.get(id) ?? null));
  return {
    data: page.rows.map(({ at, ...event }) => ({
      ...event,
      accountName: nameOf(event.accountId),
      at: at.toISOString(),
    })),
    nextCursor: page.next,
  };
}
