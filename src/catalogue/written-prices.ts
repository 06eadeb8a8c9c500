/**
 * Where each price stands in the text of a catalogue, so that one is changed in place and all around
 * it, comments too, stays as it was written.
 */
import { isScalar, isSeq, parseDocument } from "yaml";
import { VARIANT_FIELDS } from "../kernel/price-raises.ts";
import type { Model } from "./catalogue.ts";
import type { SoldPart } from "./sold-part.ts";
import { amountAt, walkOf, type Spot, type Walk, type WrittenAmount } from "./yaml-walk.ts";

export interface WrittenPrice extends Pick<SoldPart, "tier" | "variant">, WrittenAmount {
  readonly model: string;
  /** As margins name it; of a table the values that lead to it. */
  readonly kind: string;
  /** Of a table: the value of each parameter that leads to it. */
  readonly choice: Readonly<Record<string, string>>;
}

type Named = Pick<Model, "id" | "type">;
type Label = Pick<WrittenPrice, "tier" | "variant" | "kind" | "choice">;

/** Of a catalogue that is in order; in the order of the text. */
export function writtenPrices(source: string, models: Iterable<Named>): WrittenPrice[] {
  const document = parseDocument(source, { prettyErrors: false, uniqueKeys: false });
  const walk = walkOf(document);
  const all = walk.into(walk.root, "models");
  const found: WrittenPrice[] = [];
  for (const { id, type } of models) {
    const note = (spot: Spot | null, label: Label): void => {
      const written = spot === null ? null : amountAt(source, spot);
      if (written !== null) found.push({ model: id, ...label, ...written });
    };
    const model = walk.into(all, id);
    if (type === "chat") noteChat(walk, model, note);
    else if (type === "task")
      noteTable(
        walk,
        walk.into(walk.into(model, "price"), "amount"),
        wordOfUnit(walk, model),
        note,
      );
    else noteCall(walk, walk.into(model, "price"), note);
  }
  return found.toSorted((a, b) => a.from - b.from);
}

type Note = (spot: Spot | null, label: Label) => void;

function noteChat(walk: Walk, model: Spot | null, note: Note): void {
  const list = (at: Spot | null, variant: string | null): void => {
    notePrice(walk, walk.into(at, "price"), { tier: null, variant }, note);
    for (const tier of walk.items(walk.into(at, "tiers"))) {
      const tokens = walk.text(walk.into(tier, "abovePromptTokens"));
      // not money: prompt tokens
      notePrice(walk, walk.into(tier, "price"), { tier: Number(tokens), variant }, note);
    }
  };
  list(model, null);
  const surcharges = walk.into(model, "surcharges");
  for (const field of VARIANT_FIELDS)
    for (const [value, at] of walk.entries(walk.into(surcharges, field)))
      list(at, `${field}: ${value}`);
  for (const [tool, at] of walk.entries(walk.into(surcharges, "tools")))
    for (const part of ["perCall", "perRequest"])
      note(walk.into(at, part), {
        tier: null,
        variant: "tools",
        kind: `${tool}.${part}`,
        choice: {},
      });
}

function notePrice(
  walk: Walk,
  price: Spot | null,
  part: Pick<Label, "tier" | "variant">,
  note: Note,
): void {
  for (const [kind, at] of walk.entries(price)) note(at, { ...part, kind, choice: {} });
}

function noteCall(walk: Walk, price: Spot | null, note: Note): void {
  for (const [kind, at] of walk.entries(price))
    if (kind === "image") noteTable(walk, at, kind, note);
    else note(at, { tier: null, variant: null, kind, choice: {} });
}

/** A price of tasks or images: an amount, or a table of such by the values of parameters. */
function noteTable(walk: Walk, table: Spot | null, unit: string, note: Note): void {
  const into = (at: Spot | null, ahead: readonly string[], choice: Label["choice"]): void => {
    if (at === null || isScalar(at.node)) {
      const words = Object.entries(choice).map(([name, value]) => `${name}=${value}`);
      const kind = words.length === 0 ? unit : words.join(", ");
      note(at, { tier: null, variant: null, kind, choice });
      return;
    }
    const by = walk.into(at, "by");
    // Tables of images name all their parameters at once, those of tasks one after the other.
    const own = by === null ? ahead : isSeq(by.node) ? walk.texts(by) : [walk.text(by)];
    const [parameter = "", ...others] = own;
    for (const [value, inner] of walk.entries(by === null ? at : walk.into(at, "values")))
      into(inner, others, { ...choice, [parameter]: value });
  };
  into(table, [], {});
}

function wordOfUnit(walk: Walk, model: Spot | null): string {
  return walk.text(walk.into(walk.into(model, "price"), "unit"));
}
