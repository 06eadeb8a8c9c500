/** What a guide is made of. In texts, what stands between backticks is code, and `[…](…)` a link. */
import type { GuideSample } from "../guide-place.ts";

export interface GuideSection {
  /** Where the page is gone to, the same in both languages. */
  readonly id: string;
  readonly title: string;
  readonly texts: readonly string[];
  readonly points?: readonly string[];
  /** What each name means. */
  readonly rows?: readonly (readonly [name: string, meaning: string])[];
  readonly sample?: GuideSample;
}

export interface Guide {
  readonly title: string;
  readonly description: string;
  readonly lead: string;
  readonly sections: readonly GuideSection[];
}
