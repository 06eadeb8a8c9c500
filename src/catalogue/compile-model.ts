/** Makes a model of what the file says of it, or tells what of it cannot be. */
import type { CatalogueMistake } from "../contract/catalogue/catalogue-mistake.ts";
import { CHAT_PROTOCOLS, TASK_PROTOCOLS } from "../contract/enums/upstream-protocol.ts";
import type { RouteLimits } from "../contract/tasks/route-limits.ts";
import type { ChatModel, Model, Route, TaskModel, TaskRoute, UpstreamConfig } from "./catalogue.ts";
import { compileTaskPrice } from "./compile-task-price.ts";
import { compileWrittenTariff, type WriteRule } from "./compile-written-tariff.ts";
import type { WrittenChatModel, WrittenTaskModel } from "./model-schema.ts";
import { readBySchema, wholeOf } from "./read-by-schema.ts";
import { ROUTE_LIMITS } from "./route-limits-schema.ts";
import type { Draft, Found } from "./schema-parts.ts";
import { servedEndpoints } from "./served-endpoints.ts";
import { pricedParameters } from "./task-parameters.ts";
import { meantBy } from "./yaml-reader.ts";

/** The upstreams that the file names; undefined for one whose own entry is mistaken. */
export type UpstreamNames = ReadonlyMap<string, UpstreamConfig | undefined>;

export interface ModelSubject {
  readonly id: string;
  readonly upstreams: UpstreamNames;
  /**
   * Of a version that is stored already: hears of what today's rules would refuse. Null for a new
   * one, where that is a mistake.
   */
  readonly leniency: CatalogueMistake[] | null;
}

/** Undefined after a mistake. */
export function compileModel(
  draft: Draft<WrittenChatModel | WrittenTaskModel>,
  subject: ModelSubject,
  found: Found,
): Model | undefined {
  return draft.type === "task"
    ? compileTaskModel(draft as Draft<WrittenTaskModel>, subject, found)
    : compileChatModel(draft as Draft<WrittenChatModel>, subject, found);
}

function compileChatModel(
  draft: Draft<WrittenChatModel>,
  subject: ModelSubject,
  { at, reader }: Found,
): ChatModel | undefined {
  const before = reader.gaps();
  checkRoutes(draft.routes, CHAT_PROTOCOLS, subject, { at: reader.child(at, "routes"), reader });
  const rules = (draft.routes ?? []).map((route) => writeRule(route?.upstream, subject));
  const tariff = compileWrittenTariff(
    draft,
    { price: "price", tiers: "tiers", surcharges: "surcharges" },
    rules.find((rule) => rule !== null) ?? null,
    { at, reader },
  );
  const costs = (draft.routes ?? []).map((route, index) =>
    compileWrittenTariff(
      { price: route?.cost, tiers: route?.costTiers, surcharges: route?.costSurcharges },
      { price: "cost", tiers: "costTiers", surcharges: "costSurcharges" },
      rules[index] ?? null,
      { at: reader.child(at, "routes", index), reader },
    ),
  );
  const model = wholeOf<WrittenChatModel>(draft);
  if (model === undefined || tariff === undefined || reader.gaps() > before) return undefined;
  const routes = model.routes.map((route, index): Route => ({
    ...without(route, ["cost", "costTiers", "costSurcharges"]),
    cost: costs[index] ?? null,
  }));
  const written = without(model, ["price", "tiers", "surcharges"]);
  const endpoints = servedEndpoints(written.endpoints);
  return { ...written, type: "chat", id: subject.id, endpoints, ...tariff, routes };
}

function compileTaskModel(
  draft: Draft<WrittenTaskModel>,
  subject: ModelSubject,
  { at, reader }: Found,
): TaskModel | undefined {
  const before = reader.gaps();
  checkRoutes(draft.routes, TASK_PROTOCOLS, subject, { at: reader.child(at, "routes"), reader });
  const table = draft.parameters;
  const parameters = table === undefined ? undefined : pricedParameters(table);
  const price =
    draft.price &&
    compileTaskPrice(draft.price, parameters, { at: reader.child(at, "price"), reader });
  const own = (draft.routes ?? []).map((route, index): Pick<TaskRoute, "cost" | "limits"> => {
    const place = reader.child(at, "routes", index, "cost");
    const cost = route?.cost && compileTaskPrice(route.cost, parameters, { at: place, reader });
    const schema = ROUTE_LIMITS.get(table ?? "");
    const read = route?.limits && schema && readBySchema(reader, route.limits, schema);
    const limits = wholeOf<RouteLimits>(read);
    return { cost: cost ?? null, ...(limits === undefined ? {} : { limits }) };
  });
  const model = wholeOf<WrittenTaskModel>(draft);
  if (model === undefined || price === undefined || reader.gaps() > before) return undefined;
  const routes = model.routes.map((route, index): TaskRoute => ({
    ...without(route, ["limits"]),
    cost: null,
    ...own[index],
  }));
  return { ...model, type: "task", id: subject.id, price, routes };
}

function writeRule(
  name: string | undefined,
  { upstreams, leniency }: ModelSubject,
): WriteRule | null {
  const upstream = upstreams.get(name ?? "");
  return upstream?.protocol === "anthropic"
    ? { upstream: upstream.name, warnings: leniency }
    : null;
}

function without<T extends object, Key extends keyof T>(
  value: T,
  keys: readonly Key[],
): Omit<T, Key> {
  const left = Object.entries(value).filter(([name]) => !keys.some((key) => key === name));
  return Object.fromEntries(left) as Omit<T, Key>;
}

type WrittenRoute = (WrittenChatModel | WrittenTaskModel)["routes"][number];

/** Each route's upstream is one that can serve the model, and no route stands twice. */
function checkRoutes(
  routes: readonly (Draft<WrittenRoute> | undefined)[] | undefined,
  protocols: readonly UpstreamConfig["protocol"][],
  subject: ModelSubject,
  { at, reader }: Found,
): void {
  const seen = new Set<string>();
  routes?.forEach((route, index) => {
    const { upstream, model } = route ?? {};
    const found = { at: reader.child(at, index), reader };
    if (upstream === undefined || !canServe(upstream, protocols, subject, found)) return;
    checkConcurrent(route?.maxConcurrent, subject.upstreams.get(upstream), found);
    if (model === undefined) return;
    const place = JSON.stringify([upstream, model]);
    if (seen.has(place)) reader.note(found.at, "second_route", { model, upstream });
    seen.add(place);
  });
}

function canServe(
  name: string,
  protocols: readonly UpstreamConfig["protocol"][],
  { upstreams }: ModelSubject,
  { at, reader }: Found,
): boolean {
  const place = reader.child(at, "upstream");
  const protocol = upstreams.get(name)?.protocol;
  if (!upstreams.has(name))
    reader.note(place, "unknown_name", {
      what: "upstream",
      name,
      ...meantBy(name, upstreams.keys()),
    });
  else if (protocol !== undefined && !protocols.includes(protocol))
    reader.note(place, "wrong_protocol", { upstream: name, protocol, needed: protocols });
  else return true;
  return false;
}

/** A limit above the upstream's own would never be reached, so it is a slip in one of the two. */
function checkConcurrent(
  got: number | undefined,
  upstream: UpstreamConfig | undefined,
  { at, reader }: Found,
): void {
  if (got === undefined || upstream === undefined || got <= upstream.maxConcurrent) return;
  const { name, maxConcurrent: max } = upstream;
  reader.note(reader.child(at, "maxConcurrent"), "concurrent_above_upstream", {
    got,
    upstream: name,
    max,
  });
}
