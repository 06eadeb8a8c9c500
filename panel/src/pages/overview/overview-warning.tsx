/** One line before money or a limit ends, and nothing while all is well. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Overview } from "../../../../src/contract/panel/overview.ts";
import type { Usage } from "../../../../src/contract/panel/usage.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { usedOf } from "./used-of.ts";
import { useOverviewTexts } from "./use-overview-texts.ts";

const LOW_DAYS = 3;
/** Of a key's limit. */
const LATE = 0.9;

interface OverviewWarningProps {
  readonly overview: Overview;
  /** By key. */
  readonly keys: Usage | undefined;
}

export function OverviewWarning({ overview, keys }: OverviewWarningProps): ReactNode {
  const t = useOverviewTexts();
  const { share } = useFormats();
  const { blocked, available, balance, runsOutInDays, last30Days } = overview;
  // The page says so at its top.
  if (blocked) return null;
  // A new account is told so by its first steps.
  const isNew = balance === "0" && last30Days.requests + last30Days.tasks === 0;
  if (available === "0" || available.startsWith("-"))
    return isNew ? null : <Warning text={t.empty} to="/billing" action={t.topUp} />;
  if (runsOutInDays !== null && runsOutInDays < LOW_DAYS)
    return <Warning text={t.low} to="/billing" action={t.topUp} />;
  const late = keys?.parts.find(({ limit }) => limit !== null && usedOf(limit) >= LATE);
  if (late?.key === undefined || late.key === null || late.limit === null) return null;
  return (
    <Warning
      text={t.keyLate[late.limit.period](late.key.name, share(usedOf(late.limit)))}
      to={`/keys/${late.key.hash}`}
      action={t.changeLimit}
    />
  );
}

interface WarningProps {
  readonly text: string;
  readonly to: string;
  readonly action: string;
}

function Warning({ text, to, action }: WarningProps): ReactNode {
  return (
    <p className="banner banner-warn overview-warning" role="status">
      <span>{text}</span> <Link to={to as "/"}>{action}</Link>
    </p>
  );
}
