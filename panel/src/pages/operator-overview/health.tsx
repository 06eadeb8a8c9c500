/**
 * What the operator should look at: stuck tasks, upstreams that are cut off, books that do not add
 * up.
 */
import type { ReactNode } from "react";
import type { OperatorOverview } from "../../../../src/contract/panel/operator-overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { Stat } from "../../ui/stat.tsx";
import { RelativeTime } from "../../ui/time.tsx";

const VERIFIER_TONES = { never: "neutral", ok: "good", mismatch: "bad" } as const;

export function Health({ overview }: { readonly overview: OperatorOverview }): ReactNode {
  const t = useBusinessTexts();
  const { count } = useFormats();
  const { tasks, upstreams, verifier, parkedReceipts } = overview;
  return (
    <Card>
      <dl className="stats">
        <Stat
          label={t.stuckTasks}
          value={
            <Badge tone={tasks.doubtful === 0 ? "good" : "warn"}>{count(tasks.doubtful)}</Badge>
          }
          note={t.livingTasks(count(tasks.living))}
        />
        <Stat
          label={t.openBreakers}
          value={
            <Badge tone={upstreams.open.length === 0 ? "good" : "bad"}>
              {count(upstreams.open.length)}
            </Badge>
          }
          note={
            upstreams.open.length > 0
              ? upstreams.open.join(", ")
              : upstreams.resting.length > 0
                ? t.resting(upstreams.resting.join(", "))
                : t.allWell
          }
        />
        <Stat
          label={t.verifier}
          value={
            <Badge tone={VERIFIER_TONES[verifier.state]}>{t.verifierStates[verifier.state]}</Badge>
          }
          note={
            verifier.finishedAt === null ? undefined : <RelativeTime iso={verifier.finishedAt} />
          }
        />
        <Stat
          label={t.parked}
          value={
            <Badge tone={parkedReceipts === 0 ? "good" : "warn"}>{count(parkedReceipts)}</Badge>
          }
          note={parkedReceipts === 0 ? undefined : t.parkedNote}
        />
      </dl>
      <div className="row">
        <ButtonLink small to="/operator/tasks" search={{ tab: "stuck" }}>
          {t.stuckTasks}
        </ButtonLink>
        <ButtonLink small to="/operator/upstreams">
          {t.upstreamsTitle}
        </ButtonLink>
        <ButtonLink small to="/operator/ledger">
          {t.verifier}
        </ButtonLink>
      </div>
    </Card>
  );
}
