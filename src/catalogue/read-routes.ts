/**
 * Reads the routes of a model: which upstreams serve it, in which order and share, and at what cost
 * to us.
 */
import type { RouteLimits } from "../contract/tasks/route-limits.ts";
import { parseDecimal, type Decimal } from "../contract/price/decimal.ts";
import type { CountFactor, UpstreamConfig } from "./catalogue.ts";
import { MOST_CONCURRENT } from "./read-upstream.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { meantBy, shown } from "./yaml-reader.ts";

/** The upstreams that the file names; undefined for one whose own entry is mistaken. */
export type UpstreamNames = ReadonlyMap<string, UpstreamConfig | undefined>;

export interface RouteRules<Cost> {
  readonly upstreams: UpstreamNames;
  /** Protocols that can serve this kind of model. */
  readonly protocols: readonly UpstreamConfig["protocol"][];
  /** Reads the cost that a route states; `owner` is its upstream, where that is in order. */
  readCost(at: Place, places: CostPlaces, owner: UpstreamConfig | undefined): Cost | undefined;
  /** Absent: routes of this kind have no limits of their own. */
  readLimits?(at: Place): RouteLimits | undefined;
  /** Keys that only routes of this kind of model have. */
  readonly ownKeys: readonly OwnKey[];
}

/** Where more of a route's cost stands. */
export interface CostPlaces {
  readonly costTiers?: Place;
  readonly costSurcharges?: Place;
}

export interface ReadRoute<Cost> {
  readonly upstream: string;
  readonly model: string;
  readonly order: number;
  readonly weight: number;
  readonly maxConcurrent?: number;
  readonly cost: Cost | null;
  readonly limits?: RouteLimits;
  readonly countFactor?: CountFactor;
}

const ROUTE_FIELDS = ["upstream", "model", "order", "weight", "maxConcurrent", "cost"] as const;
type OwnKey = "limits" | "countFactor" | keyof CostPlaces;
const HIGHEST_ORDER = 1_000;
const HIGHEST_WEIGHT = 1_000_000;
const LONGEST_UPSTREAM_MODEL = 300;

export function readRoutes<Cost>(
  reader: YamlReader,
  at: Place,
  rules: RouteRules<Cost>,
): ReadRoute<Cost>[] | undefined {
  const places = reader.items(at);
  if (places === undefined) return undefined;
  if (places.length === 0) reader.note(at, "none_given", { what: "route" });
  const routes: ReadRoute<Cost>[] = [];
  for (const place of places) {
    const route = readRoute(reader, place, rules);
    if (route === undefined) continue;
    if (routes.some((other) => other.upstream === route.upstream && other.model === route.model)) {
      reader.note(place, "second_route", { model: route.model, upstream: route.upstream });
    }
    routes.push(route);
  }
  return routes.length === places.length && routes.length > 0 ? routes : undefined;
}

function readRoute<Cost>(
  reader: YamlReader,
  at: Place,
  rules: RouteRules<Cost>,
): ReadRoute<Cost> | undefined {
  const fields: Partial<Record<(typeof ROUTE_FIELDS)[number] | OwnKey, Place>> | undefined =
    reader.fields(at, [...ROUTE_FIELDS, ...rules.ownKeys]);
  if (fields === undefined) return undefined;
  const upstreamPlace = reader.required(at, fields, "upstream");
  const modelPlace = reader.required(at, fields, "model");
  const upstream = upstreamPlace && readUpstreamName(reader, upstreamPlace, rules);
  const model = modelPlace && reader.text(modelPlace);
  if (
    modelPlace !== undefined &&
    model !== undefined &&
    (model.trim() === "" || model.length > LONGEST_UPSTREAM_MODEL)
  ) {
    reader.note(modelPlace, "upstream_model_length", { max: LONGEST_UPSTREAM_MODEL });
  }
  const order = fields.order === undefined ? 1 : reader.wholeNumber(fields.order, 0, HIGHEST_ORDER);
  const weight =
    fields.weight === undefined ? 1 : reader.wholeNumber(fields.weight, 1, HIGHEST_WEIGHT);
  const owner = upstream === undefined ? undefined : rules.upstreams.get(upstream);
  const maxConcurrent = fields.maxConcurrent && readConcurrent(reader, fields.maxConcurrent, owner);
  const cost =
    fields.cost === undefined
      ? withoutCost(reader, fields)
      : rules.readCost(fields.cost, fields, owner);
  const limits = fields.limits && rules.readLimits?.(fields.limits);
  const countFactor = fields.countFactor && readCountFactor(reader, fields.countFactor);
  if (
    upstream === undefined ||
    model === undefined ||
    order === undefined ||
    weight === undefined ||
    cost === undefined
  )
    return undefined;
  if (fields.maxConcurrent !== undefined && maxConcurrent === undefined) return undefined;
  if (fields.limits !== undefined && limits === undefined) return undefined;
  if (fields.countFactor !== undefined && countFactor === undefined) return undefined;
  const bounds = {
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
    ...(limits === undefined ? {} : { limits }),
    ...(countFactor === undefined ? {} : { countFactor }),
  };
  return { upstream, model, order, weight, ...bounds, cost };
}

/** Null; a mistake where more is said of a cost that is not there. */
function withoutCost(
  reader: YamlReader,
  { costTiers, costSurcharges }: CostPlaces,
): null | undefined {
  const more = costTiers ?? costSurcharges;
  if (more === undefined) return null;
  reader.note(more, "no_cost");
  return undefined;
}

/**
 * Both sides must be said: of a tokenizer whose factor is known on one side only, the other one is
 * not 1.
 */
function readCountFactor(reader: YamlReader, at: Place): CountFactor | undefined {
  const fields = reader.fields(at, ["input", "output"]);
  if (fields === undefined) return undefined;
  const inputPlace = reader.required(at, fields, "input");
  const outputPlace = reader.required(at, fields, "output");
  const input = inputPlace && readOneFactor(reader, inputPlace);
  const output = outputPlace && readOneFactor(reader, outputPlace);
  return input === undefined || output === undefined ? undefined : { input, output };
}

/** No tokenizer is further from another one: beyond, it is a slip of the point. */
const LEAST_TENTHS = 2n;
const MOST_TENTHS = 100n;

function readOneFactor(reader: YamlReader, at: Place): Decimal | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const factor = parseDecimal(text);
  const tenths = factor === null ? 0n : factor.digits * 10n;
  const one = factor === null ? 1n : 10n ** BigInt(factor.scale);
  if (factor !== null && tenths >= LEAST_TENTHS * one && tenths <= MOST_TENTHS * one) return factor;
  reader.note(at, "expected", { what: "count_factor", got: shown(at) });
  return undefined;
}

/** A limit above the upstream's own would never be reached, so it is a slip in one of the two. */
function readConcurrent(
  reader: YamlReader,
  at: Place,
  upstream: UpstreamConfig | undefined,
): number | undefined {
  const maxConcurrent = reader.wholeNumber(at, 1, MOST_CONCURRENT);
  if (
    maxConcurrent === undefined ||
    upstream === undefined ||
    maxConcurrent <= upstream.maxConcurrent
  )
    return maxConcurrent;
  reader.note(at, "concurrent_above_upstream", {
    got: maxConcurrent,
    upstream: upstream.name,
    max: upstream.maxConcurrent,
  });
  return undefined;
}

function readUpstreamName<Cost>(
  reader: YamlReader,
  at: Place,
  rules: RouteRules<Cost>,
): string | undefined {
  const name = reader.text(at);
  if (name === undefined) return undefined;
  if (!rules.upstreams.has(name)) {
    reader.note(at, "unknown_name", {
      what: "upstream",
      name,
      ...meantBy(name, rules.upstreams.keys()),
    });
    return undefined;
  }
  const protocol = rules.upstreams.get(name)?.protocol;
  if (protocol !== undefined && !rules.protocols.includes(protocol)) {
    reader.note(at, "wrong_protocol", { upstream: name, protocol, needed: rules.protocols });
    return undefined;
  }
  return name;
}
