/**
 * Takes what an upstream lists over into the text of a catalogue: amounts in their own places and
 * quotes, new models behind the last one; all else stays to the character.
 */
import type { ListedCost, NewListedModel } from "../../../../src/contract/panel/upstream-list.ts";

export interface TakenRows {
  readonly costs: readonly ListedCost[];
  readonly models: readonly NewListedModel[];
  /** Where models may be written down. */
  readonly endOfModels: number | null;
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** All of the rows are of this very text. */
export function withTaken(source: string, { costs, models, endOfModels }: TakenRows): string {
  const edits = costs.flatMap(({ from, to, editable, after }): Edit[] => {
    if (!editable || from === null || to === null) return [];
    const quote = /^["']/.exec(source.slice(from, to))?.[0] ?? "";
    return [{ from, to, text: `${quote}${after}${quote}` }];
  });
  const texts = models.flatMap(({ text }) => (text === null ? [] : [text]));
  if (endOfModels !== null && texts.length > 0) {
    const begins = source.slice(0, endOfModels).endsWith("\n") ? "" : "\n";
    const text = `${begins}${texts.map((one) => `\n${one}`).join("")}`;
    edits.push({ from: endOfModels, to: endOfModels, text });
  }
  // From the end on: what comes before keeps its place.
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((rest, { from, to, text }) => `${rest.slice(0, from)}${text}${rest.slice(to)}`, source);
}

export function costKey({ model, upstreamModel, kind, line }: ListedCost): string {
  return [model, upstreamModel, kind, line].join("\n");
}
