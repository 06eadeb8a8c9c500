/**
 * What the operator should look at: stuck tasks, upstreams that are cut off, books that do not add
 * up.
 */
import type { ReactNode } from "react";
import type { OperatorOverview } from "../../../../src/contract/panel/operator-overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { Stat } from "../../ui/stat.tsx";
import { Status } from "../../ui/status.tsx";
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
          value={<Judged tone="warn" count={tasks.doubtful} />}
          note={t.livingTasks(count(tasks.living))}
        />
        <Stat
          label={t.openBreakers}
          value={<Judged tone="bad" count={upstreams.open.length} />}
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
            <Status tone={VERIFIER_TONES[verifier.state]}>
              {t.verifierStates[verifier.state]}
            </Status>
          }
          note={
            verifier.finishedAt === null ? undefined : <RelativeTime iso={verifier.finishedAt} />
          }
        />
        <Stat
          label={t.parked}
          value={<Judged tone="warn" count={parkedReceipts} />}
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

/** Nothing to look at is plain; a colour says that there is something. */
function Judged({
  tone,
  count: found,
}: {
  readonly tone: "warn" | "bad";
  readonly count: number;
}): ReactNode {
  const { count } = useFormats();
  return found === 0 ? count(0) : <Status tone={tone}>{count(found)}</Status>;
}
