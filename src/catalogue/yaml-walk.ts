/** Steps through the document of a catalogue, down to where an amount stands in its text. */
import { isAlias, isMap, isNode, isScalar, isSeq, visit } from "yaml";
import type { Document, Node } from "yaml";
import { parseRoubles, type Nano } from "../kernel/money.ts";

export interface WrittenAmount {
  readonly amountNano: Nano;
  /** In UTF-16 units, quotes too. */
  readonly from: number;
  readonly to: number;
  /** It stands for itself alone: no anchor or alias makes it the price of something else, too. */
  readonly editable: boolean;
}

/** A node, and whether it stands at one place only. */
export interface Spot {
  readonly node: Node;
  readonly alone: boolean;
}

export function amountAt(source: string, { node, alone }: Spot): WrittenAmount | null {
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
export interface Walk {
  readonly root: Spot | null;
  into(at: Spot | null, name: string): Spot | null;
  entries(at: Spot | null): (readonly [string, Spot])[];
  items(at: Spot | null): Spot[];
  text(at: Spot | null): string;
  texts(at: Spot): string[];
}

export function walkOf(document: Document): Walk {
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
