/** Whether a model works, how often it answered and how fast; what has no figure is left out. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { readApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { Sparkline } from "../../ui/charts/sparkline.tsx";
import { SPARK_POINTS_LEAST } from "../../ui/charts/sparkline-path.ts";
import { Facts } from "../../ui/stat.tsx";
import { useModelsTexts } from "./use-models-texts.ts";

const EVERY_MS = 60_000;

export function ModelFares({ id }: { readonly id: string }): ReactNode {
  const t = useModelsTexts();
  const { share, duration, decimal } = useFormats();
  const { data } = useQuery({
    queryKey: ["models", "status"],
    queryFn: ({ signal }) => readApi("/models/status", { signal }),
    refetchInterval: EVERY_MS,
  });
  const status = data?.data.find((one) => one.id === id);
  if (status === undefined) return null;
  const { health, days, share: answered, firstTokenMs, tokensPerSecond } = status;
  const known = days.filter((day) => day !== null);
  if ([health, answered, firstTokenMs, tokensPerSecond].every((one) => one === null)) return null;
  return (
    <Card title={t.fares}>
      <Facts
        items={[
          [t.now, health === null ? null : t.health[health]],
          // Downwards: 99.99 % is not a hundred.
          [t.answered, answered === null ? null : share(Math.floor(answered * 1_000) / 1_000)],
          [t.firstToken, firstTokenMs === null ? null : duration(firstTokenMs)],
          [
            t.speed,
            tokensPerSecond === null ? null : t.tokensPerSecond(decimal(String(tokensPerSecond))),
          ],
        ]}
      />
      {known.length < SPARK_POINTS_LEAST ? null : <Sparkline values={known} bad={false} />}
      <p className="quiet small">{t.faresNote}</p>
    </Card>
  );
}
