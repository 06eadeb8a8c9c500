/** The figures of a chart of usage: what each is of some sums, and how it is written. Pure. */
import type { UsageFigure } from "../../../../src/contract/enums/usage-range.ts";
import type { UsageSums } from "../../../../src/contract/panel/usage.ts";
import type { Formats } from "../../i18n/locale.tsx";
import { cacheShare } from "./trend.ts";

/** A decimal string; null: it is not known, or there is nothing that it is of. */
export function figureOf(figure: UsageFigure, sums: UsageSums): string | null {
  const text = (value: number | null): string | null => (value === null ? null : String(value));
  switch (figure) {
    case "spent":
      return sums.charged;
    case "requests":
      return text(sums.requests + sums.tasks);
    case "tokens":
      return text(sums.inputTokens + sums.outputTokens);
    case "errors":
      return text(sums.errors);
    case "firstToken":
      return text(sums.timeToFirstTokenMs);
    case "duration":
      return text(sums.durationMs);
    case "cache":
      return text(cacheShare(sums));
  }
}

interface FigureText {
  /** In a table, a note, on the axis. */
  brief(figure: string): string;
  /** Every digit of it. */
  exact(figure: string): string;
}

export function textOf(figure: UsageFigure, formats: Formats): FigureText {
  const { money, moneyBrief, count, countBrief, duration, share } = formats;
  const same = (write: (value: number) => string): FigureText => ({
    brief: (text) => write(Number(text)),
    exact: (text) => write(Number(text)),
  });
  switch (figure) {
    case "spent":
      return { brief: (amount) => moneyBrief(amount, "up"), exact: money };
    case "firstToken":
    case "duration":
      return same(duration);
    case "cache":
      return same(share);
    default:
      return {
        brief: (text) => countBrief(Number(text)),
        exact: (text) => count(Number(text)),
      };
  }
}
