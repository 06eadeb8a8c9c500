/** Which share of a model's requests was answered on each of the last days, as a strip of bars. */
import { judgeAnswered } from "../../contract/answered-share.ts";
import { shareText } from "./format-figures.ts";
import { markup, type Markup } from "./markup.ts";
import type { Site } from "./site-place.ts";

const STEP = 5;
const HEIGHT = 18;

/** A bar for each day, pale where all is well. */
export function dayStrip(days: readonly (number | null)[], { t, language }: Site): Markup {
  const known = days.filter((share) => share !== null);
  const label = t.daysLabel(
    known.length,
    known.length === 0 ? "" : shareText(Math.min(...known), language),
  );
  return markup`<svg class="days" viewBox="0 0 ${days.length * STEP} ${HEIGHT}" role="img" aria-label="${label}" preserveAspectRatio="none">${days.map(
    (share, at) =>
      markup`<rect class="${share === null ? "none" : judgeAnswered(share)}" x="${at * STEP}" width="${STEP - 1}" height="${HEIGHT}" rx="1"/>`,
  )}</svg>`;
}
