/** The settings of a key in words. Pure. */
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import type { KeysTexts } from "../../i18n/texts/keys.ru.ts";
import type { Setting } from "../../ui/differences.ts";

/** Of `useFormats`. */
interface Written {
  moneyWhole(amount: string): string;
  count(count: number): string;
  time(iso: string): string;
}

export function settingsOf(
  key: PanelKey,
  t: KeysTexts,
  { moneyWhole, count, time }: Written,
): readonly Setting[] {
  const { limit } = key;
  const most = (figure: number | null): string => (figure === null ? t.unlimited : count(figure));
  return [
    [t.name, key.name],
    [
      t.limit,
      limit === null ? t.noLimit : `${moneyWhole(limit.amount)} ${t.periods[limit.period]}`,
    ],
    [t.group, key.group?.name ?? t.noGroup],
    [t.owner, key.owner?.name ?? t.ownedByAccount],
    [t.models, key.models === null ? t.allModels : key.models.join(", ")],
    [t.ips, key.ips === null ? t.anywhere : key.ips.join(", ")],
    [t.requestsPerMinute, most(key.requestsPerMinute)],
    [t.tokensPerMinute, most(key.tokensPerMinute)],
    [t.maxConcurrent, most(key.maxConcurrent)],
    [t.maxTasks, most(key.maxTasks)],
    [t.expires, key.expiresAt === null ? t.never : time(key.expiresAt)],
  ];
}
