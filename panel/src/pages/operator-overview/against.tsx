/** How much a figure has changed, in a line below it. */
import type { ReactNode } from "react";
import { useMorningTexts } from "./use-morning-texts.ts";
import type { Changes } from "./use-changes.ts";

export function Against({ changes }: { readonly changes: Changes }): ReactNode {
  const t = useMorningTexts();
  const { yesterday, weekAgo } = changes;
  if (yesterday === null && weekAgo === null) return null;
  return (
    <span>
      {yesterday === null ? null : <span className="nowrap">{t.toYesterday(yesterday)}</span>}
      {yesterday === null || weekAgo === null ? null : ", "}
      {weekAgo === null ? null : <span className="nowrap">{t.toWeek(weekAgo)}</span>}
    </span>
  );
}
