/** How often a model answered in the last days, in a sentence. */
import type { PanelModelStatus } from "../../../../src/contract/panel/panel-model.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";

/** Downwards: 99.99 % is not a hundred. */
export const answeredShare = (share: number): number => Math.floor(share * 1_000) / 1_000;

/** Whether any of its days had enough requests to judge by. */
export function isKnown({ days }: PanelModelStatus): boolean {
  return days.some((day) => day !== null);
}

export function answeredWords(
  { days, share: answered }: PanelModelStatus,
  t: ModelsTexts,
  { share }: Formats,
): string {
  const known = days.filter((day) => day !== null);
  if (known.length === 0 || answered === null) return t.fewRequests;
  return t.daysWords(
    known.length,
    share(answeredShare(answered)),
    share(answeredShare(Math.min(...known))),
  );
}
