/** Whether a model works, how often it answered and how fast; what has no figure is left out. */
import type { ReactNode } from "react";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DayStrip } from "../../ui/day-strip.tsx";
import { Facts } from "../../ui/stat.tsx";
import { answeredShare, answeredWords, isKnown } from "./answered-words.ts";
import { useModelStatuses } from "./use-model-statuses.ts";
import { useModelsTexts } from "./use-models-texts.ts";

export function ModelFares({ id }: { readonly id: string }): ReactNode {
  const t = useModelsTexts();
  const formats = useFormats();
  const { share, duration, decimal } = formats;
  const status = useModelStatuses()(id);
  if (status === undefined) return null;
  const { health, share: answered, firstTokenMs, tokensPerSecond } = status;
  if ([health, answered, firstTokenMs, tokensPerSecond].every((one) => one === null)) return null;
  return (
    <Card title={t.fares}>
      <Facts
        items={[
          [t.now, health === null ? null : t.health[health]],
          [t.answered, answered === null ? null : share(answeredShare(answered))],
          [
            t.days,
            isKnown(status) ? (
              <DayStrip key="d" days={status.days} label={answeredWords(status, t, formats)} />
            ) : null,
          ],
          [t.firstToken, firstTokenMs === null ? null : duration(firstTokenMs)],
          [
            t.speed,
            tokensPerSecond === null ? null : t.tokensPerSecond(decimal(String(tokensPerSecond))),
          ],
        ]}
      />
      <p className="quiet small">{t.faresNote}</p>
    </Card>
  );
}
