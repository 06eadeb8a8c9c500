/** What a row of the margin is called. */
import { useCallback } from "react";
import type { MarginReport } from "../../../../src/contract/panel/operator-margin.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";

export function useRowName(by: MarginReport["by"]): (name: string | null) => string {
  const t = useBusinessTexts();
  const { dayMark } = useFormats();
  return useCallback(
    (name) => (name === null ? t.nobody : by === "day" ? dayMark(name).label : name),
    [t, dayMark, by],
  );
}
