/**
 * Where each price stands in the text of a catalogue, so that one is changed in place and all around
 * it, comments too, stays as it was written.
 */
import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument, visit } from "yaml";
import type { Document, Node } from "yaml";
import { parseRoubles, type Nano } from "../kernel/money.ts";
import { VARIANT_FIELDS } from "../kernel/price-raises.ts";
import type { Model } from "./catalogue.ts";
import type { SoldPart } from "./sold-part.ts";

export interface WrittenPrice extends Pick<SoldPart, "tier" | "variant"> {
  readonly model: string;
  /** As margins name it; of a table the values that lead to it. */
  readonly kind: string;
  /** Of a table: the value of each parameter that leads to it. */
  readonly choice: Readonly<Record<string, string>>;
  readonly amountNano: Nano;
  /** In UTF-16 units, quotes too. */
  readonly from: number;
  readonly to: number;
  /** It stands for itself alone: no anchor or alias makes it the price of something else, too. */
  readonly editable: boolean;
}

type Named = Pick<Model, "id" | "type">;
type Label = Pick<WrittenPrice, "tier" | "variant" | "kind" | "choice">;

/** A node, and whether it stands at one place only. */
interface Spot {
  readonly node: Node;
  readonly alone: boolean;
}

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

function amountAt(
  source: string,
  { node, alone }: Spot,
): Pick<WrittenPrice, "amountNano" | "from" | "to" | "editable"> | null {
  if (!isScalar(node) || !node.range) return null;
  const text = textOf(node);
  const amountNano = parseRoubles(text);
  if (amountNano === null) return null;
  const [from, to] = node.range;
  // Whatever else is written there, such as a block of text, is not ours to write over.
  const plain = [text, `"${text}"`, `'${text}'`].includes(source.slice(from, to));
  return { amountNano, from, to, editable: alone && plain };
}

function textOf(node: { readonly source?: string; readonly value: unknown }): string {
  return node.source ?? String(node.value);
}

/** Steps through the document that are null where there is nothing. */
interface Walk {
  readonly root: Spot | null;
  into(at: Spot | null, name: string): Spot | null;
  entries(at: Spot | null): (readonly [string, Spot])[];
  items(at: Spot | null): Spot[];
  text(at: Spot | null): string;
  texts(at: Spot): string[];
}

function walkOf(document: Document): Walk {
  const aliased = new Set<string>();
  visit(document, { Alias: (_, { source }) => void aliased.add(source) });

  function spotOf(value: unknown, alone: boolean): Spot | null {
    if (isAlias(value)) {
      const node = value.resolve(document);
      return node === undefined ? null : { node, alone: false };
    }
    if (!isNode(value)) return null;
    const { anchor } = value as { anchor?: string };
    return { node: value, alone: alone && (anchor === undefined || !aliased.has(anchor)) };
  }

  const walk: Walk = {
    root: spotOf(document.contents, true),
    into: (at, name) => walk.entries(at).find(([key]) => key === name)?.[1] ?? null,
    entries(at) {
      if (at === null || !isMap(at.node)) return [];
      return at.node.items.flatMap(({ key, value }) => {
        const spot = spotOf(value, at.alone);
        return isScalar(key) && spot !== null ? [[textOf(key), spot] as const] : [];
      });
    },
    items(at) {
      if (at === null || !isSeq(at.node)) return [];
      return at.node.items.flatMap((item) => spotOf(item, at.alone) ?? []);
    },
    text: (at) => (at !== null && isScalar(at.node) ? textOf(at.node) : ""),
    texts: (at) => walk.items(at).map(walk.text),
  };
  return walk;
}
