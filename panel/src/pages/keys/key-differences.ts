/** The settings of a key in words, and which of them another change left otherwise. Pure. */
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import type { KeysTexts } from "../../i18n/texts/keys.ru.ts";
import { valuesOf, type KeyValues } from "./key-wishes.ts";

export interface KeyDifference {
  readonly label: string;
  readonly before: string;
  readonly now: string;
}

/** Of `useFormats`. */
interface Written {
  moneyWhole(amount: string): string;
  count(count: number): string;
  time(iso: string): string;
}

type Setting = readonly [label: string, text: string];

function settingsOf(
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

export function differencesOf(
  before: PanelKey,
  now: PanelKey,
  t: KeysTexts,
  formats: Written,
): readonly KeyDifference[] {
  const after = settingsOf(now, t, formats);
  return settingsOf(before, t, formats).flatMap(([label, text], at) => {
    const other = after[at]?.[1] ?? "";
    return other === text ? [] : [{ label, before: text, now: other }];
  });
}

/** What was typed over the key as it is now: where nothing was typed, that is as it is now. */
export function valuesOver(before: PanelKey, now: PanelKey, typed: KeyValues): KeyValues {
  const seen: Readonly<Record<string, unknown>> = { ...valuesOf(before) };
  const changed = Object.entries(typed).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(seen[name]),
  );
  return { ...valuesOf(now), ...Object.fromEntries(changed) };
}
