/** Where each cost of a route stands in the text of a catalogue: the base one, without tiers and variants. */
import { isMap, parseDocument } from "yaml";
import type { Node } from "yaml";
import type { Catalogue, Model } from "./catalogue.ts";
import { amountAt, walkOf, type WrittenAmount } from "./yaml-walk.ts";

export interface WrittenRoute {
  readonly model: string;
  readonly type: Model["type"];
  readonly upstream: string;
  readonly upstreamModel: string;
  /** From 1. */
  readonly line: number;
  /** By kind; empty: the route says nothing of its cost. */
  readonly costs: ReadonlyMap<string, WrittenAmount>;
}

export interface WrittenRoutes {
  /** Of a catalogue that is in order; in the order of the text. */
  readonly routes: readonly WrittenRoute[];
  /** Where a model may be written down as the last, at the beginning of a line; null: the models stand in one line. */
  readonly endOfModels: number | null;
}

export function writtenRoutes(
  source: string,
  { models }: Pick<Catalogue, "models">,
): WrittenRoutes {
  const walk = walkOf(parseDocument(source, { prettyErrors: false, uniqueKeys: false }));
  const all = walk.into(walk.root, "models");
  const routes = [...models.values()].flatMap(({ id, type }) =>
    walk.items(walk.into(walk.into(all, id), "routes")).map((route): WrittenRoute => {
      const costs = walk.entries(walk.into(route, "cost")).flatMap(([kind, at]) => {
        const written = amountAt(source, { ...at, alone: at.alone && route.alone });
        return written === null ? [] : [[kind, written] as const];
      });
      return {
        model: id,
        type,
        upstream: walk.text(walk.into(route, "upstream")),
        upstreamModel: walk.text(walk.into(route, "model")),
        line: source.slice(0, route.node.range?.[0] ?? 0).split("\n").length,
        costs: new Map(costs),
      };
    }),
  );
  return {
    routes,
    endOfModels: endOf(source, walk.entries(all).at(-1)?.[1].node ?? null, all?.node),
  };
}

/** Behind the line in which the last model ends. */
function endOf(source: string, last: Node | null, models: Node | undefined): number | null {
  const end = last?.range?.[1];
  if (end === undefined || !isMap(models) || models.flow === true) return null;
  // A mapping may end where the next line begins.
  const within = source.slice(0, end).trimEnd().length;
  const lineEnd = source.indexOf("\n", within);
  return lineEnd === -1 ? source.length : lineEnd + 1;
}
