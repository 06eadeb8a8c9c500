/** What of the command palette fits what is typed, the best first. */
import { inOtherLayout } from "./other-layout.ts";

export interface Findable {
  readonly label: string;
  /** Other words by which it is found: a mask, an e-mail, its name in the other language. */
  readonly also: readonly string[];
  /**
   * It fits, by whatever it was found. What the server finds comes a moment later, and so behind
   * what is found by name: nothing moves from under the hand.
   */
  readonly found?: boolean;
}

export interface EntryGroup<Entry extends Findable> {
  readonly name: string;
  readonly items: readonly Entry[];
}

/** Of each group: who looks for more writes more. */
const MOST = 6;

/** How well a name fits, the smaller the better. */
const RANK = { whole: 0, begins: 1, wordsBegin: 2, within: 3, byOtherWords: 4 } as const;
/** Whatever fits as it was typed comes before what fits in the other layout. */
const OTHER_LAYOUT = 10;

/** Null: it does not fit. */
export function rankOf(typed: string, { label, also, found = false }: Findable): number | null {
  if (found) return RANK.byOtherWords;
  const [name, others] = [plain(label), also.map(plain)];
  const asTyped = rankBy(plain(typed), name, others);
  if (asTyped !== null) return asTyped;
  const other = rankBy(plain(inOtherLayout(typed.toLowerCase())), name, others);
  return other === null ? null : other + OTHER_LAYOUT;
}

/**
 * The groups that have something, the one with the best fit first; while nothing is typed, all that
 * there is.
 */
export function rankEntries<Entry extends Findable>(
  typed: string,
  groups: readonly EntryGroup<Entry>[],
): readonly EntryGroup<Entry>[] {
  if (plain(typed) === "") return groups.filter(({ items }) => items.length > 0);
  return groups
    .flatMap(({ name, items }) => {
      const ranked = items
        .flatMap((entry) => {
          const rank = rankOf(typed, entry);
          return rank === null ? [] : [{ entry, rank }];
        })
        .toSorted((a, b) => a.rank - b.rank)
        .slice(0, MOST);
      const [best] = ranked;
      return best === undefined
        ? []
        : [{ name, items: ranked.map(({ entry }) => entry), rank: best.rank }];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ name, items }) => ({ name, items }));
}

function rankBy(sought: string, name: string, others: readonly string[]): number | null {
  if (sought === "") return RANK.whole;
  if (name === sought) return RANK.whole;
  if (name.startsWith(sought)) return RANK.begins;
  const words = sought.split(" ");
  const parts = name.split(/[^\p{L}\p{N}]+/u);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return RANK.wordsBegin;
  if (name.includes(sought)) return RANK.within;
  const all = [name, ...others].join("\n");
  return words.every((word) => all.includes(word)) ? RANK.byOtherWords : null;
}

/** Small letters, one space between words, and ё as е, as most people write it. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll("ё", "е").trim().replaceAll(/\s+/gu, " ");
}
