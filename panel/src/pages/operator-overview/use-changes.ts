/** A figure against the same hours of yesterday and of a week ago; it judges nothing. */
import type {
  DayFigures,
  OperatorOverview,
} from "../../../../src/contract/panel/operator-overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { changeOf, signed } from "../../ui/operator/change-of.ts";
import { useMorningTexts } from "./use-morning-texts.ts";

export interface Changes {
  /** Null: there is nothing to compare with. */
  readonly yesterday: string | null;
  readonly weekAgo: string | null;
}

/** Null: the day has had no full hour yet. */
type Compared = OperatorOverview["compared"];

export interface WriteChanges {
  /** `+12 %`. */
  of(compared: Compared, figure: (day: DayFigures) => number | null): Changes;
  /** Of a share: `+0,4 п.п.`. */
  inPoints(compared: Compared, share: (day: DayFigures) => number | null): Changes;
}

export function useChanges(): WriteChanges {
  const t = useMorningTexts();
  const { share, decimal } = useFormats();
  const write = (
    compared: Compared,
    figure: (day: DayFigures) => number | null,
    worded: (now: number, before: number) => string | null,
  ): Changes => {
    const now = compared === null ? null : figure(compared.today);
    const changed = (day: DayFigures): string | null => {
      const before = figure(day);
      return now === null || before === null ? null : worded(now, before);
    };
    return compared === null
      ? { yesterday: null, weekAgo: null }
      : { yesterday: changed(compared.yesterday), weekAgo: changed(compared.weekAgo) };
  };
  return {
    of: (compared, figure) =>
      write(compared, figure, (now, before) => {
        const change = changeOf(now, before);
        return change === null ? null : signed(change, share);
      }),
    inPoints: (compared, figure) =>
      write(compared, figure, (now, before) =>
        t.points(signed((now - before) * 100, (size) => decimal(size.toFixed(1)))),
      ),
  };
}
