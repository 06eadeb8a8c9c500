/**
 * Reads one model: a chat model with its endpoints and token limits, or a task model with its
 * parameter table.
 */
import type { CatalogueMistake } from "../contract/catalogue/catalogue-mistake.ts";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../contract/enums/chat-endpoint.ts";
import { REQUEST_KINDS } from "../contract/enums/request-kind.ts";
import { CHAT_PROTOCOLS, TASK_PROTOCOLS } from "../contract/enums/upstream-protocol.ts";
import type { ChatTariff } from "../contract/price/chat-tariff.ts";
import type { ChatModel, Model, ModelReasoning, TaskModel, UpstreamConfig } from "./catalogue.ts";
import { readRouteLimits } from "./read-route-limits.ts";
import { type CostPlaces, readRoutes, type UpstreamNames } from "./read-routes.ts";
import { readTariff, type WriteRule } from "./read-tariff.ts";
import { readTaskPrice } from "./read-task-price.ts";
import { pricedParameters, TASK_TABLE_IDS } from "./task-parameters.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { shown } from "./yaml-reader.ts";

const CHAT_FIELDS = [
  "type",
  "displayName",
  "createdAt",
  "endpoints",
  "contextTokens",
  "maxOutputTokens",
  "reasoning",
  "imageTokens",
  "answerModel",
  "price",
  "tiers",
  "surcharges",
  "routes",
] as const;
const TASK_FIELDS = [
  "type",
  "displayName",
  "createdAt",
  "parameters",
  "price",
  "deadlineSeconds",
  "routes",
] as const;
const MOST_TOKENS = 100_000_000;
const DEFAULT_IMAGE_TOKENS = 5_000;
const MOST_IMAGE_TOKENS = 1_000_000;
const DEFAULT_DEADLINE_SECONDS = 3_600;
const LONGEST_DEADLINE_SECONDS = 7 * 86_400;
const LONGEST_DISPLAY_NAME = 100;
/** Ids stand in paths and in logs; `/` is allowed because providers use it. */
const MODEL_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._:/-]{0,126}[A-Za-z0-9])?$/;

export interface ModelSubject {
  readonly id: string;
  readonly upstreams: UpstreamNames;
  /**
   * Of a version that is stored already: hears of what today's rules would refuse. Null for a new
   * one, where that is a mistake.
   */
  readonly leniency: CatalogueMistake[] | null;
}

export function readModel(reader: YamlReader, at: Place, subject: ModelSubject): Model | undefined {
  const { id } = subject;
  if (!MODEL_ID.test(id)) reader.note(at, "bad_name", { what: "model", name: id });
  // The type is read before the fields, because it decides which fields there are.
  const entries = reader.entries(at);
  if (entries === undefined) return undefined;
  const typePlace = entries.find((entry) => entry.name === "type")?.at;
  if (typePlace === undefined) {
    reader.note(at, "type_missing");
    return undefined;
  }
  const type = reader.oneOf(typePlace, REQUEST_KINDS);
  if (type === undefined) return undefined;
  return type === "chat" ? readChatModel(reader, at, subject) : readTaskModel(reader, at, subject);
}

function readChatModel(
  reader: YamlReader,
  at: Place,
  subject: ModelSubject,
): ChatModel | undefined {
  const { id, upstreams } = subject;
  const fields = reader.fields(at, CHAT_FIELDS);
  if (fields === undefined) return undefined;
  const head = readHead(reader, id, fields);
  const endpointsPlace = reader.required(at, fields, "endpoints");
  const contextPlace = reader.required(at, fields, "contextTokens");
  const outputPlace = reader.required(at, fields, "maxOutputTokens");
  const pricePlace = reader.required(at, fields, "price");
  const routesPlace = reader.required(at, fields, "routes");
  const endpoints = endpointsPlace && readEndpoints(reader, endpointsPlace);
  const contextTokens = contextPlace && reader.wholeNumber(contextPlace, 1, MOST_TOKENS);
  const maxOutputTokens = outputPlace && reader.wholeNumber(outputPlace, 1, MOST_TOKENS);
  if (
    outputPlace !== undefined &&
    contextTokens !== undefined &&
    maxOutputTokens !== undefined &&
    maxOutputTokens > contextTokens
  ) {
    reader.note(outputPlace, "output_above_context", {
      output: maxOutputTokens,
      context: contextTokens,
    });
  }
  const reasoning = fields.reasoning === undefined ? null : readReasoning(reader, fields.reasoning);
  const imageTokens =
    fields.imageTokens === undefined
      ? DEFAULT_IMAGE_TOKENS
      : reader.wholeNumber(fields.imageTokens, 0, MOST_IMAGE_TOKENS);
  const answerModel =
    fields.answerModel === undefined ? null : reader.oneOf(fields.answerModel, ["upstream"]);
  const routes =
    routesPlace &&
    readRoutes(reader, routesPlace, {
      upstreams,
      protocols: CHAT_PROTOCOLS,
      ownKeys: ["costTiers", "costSurcharges", "countFactor"],
      readCost: (cost, places, owner) => readCost(reader, cost, places, writeRule(subject, owner)),
    });
  const writing =
    routes
      ?.map(({ upstream }) => writeRule(subject, upstreams.get(upstream)))
      .find((rule) => rule !== null) ?? null;
  const tariff =
    pricePlace &&
    readTariff(
      reader,
      { price: pricePlace, tiers: fields.tiers, surcharges: fields.surcharges },
      { writes: writing },
    );
  if (
    head === undefined ||
    endpoints === undefined ||
    contextTokens === undefined ||
    maxOutputTokens === undefined
  )
    return undefined;
  if (
    reasoning === undefined ||
    imageTokens === undefined ||
    tariff === undefined ||
    routes === undefined
  )
    return undefined;
  if (answerModel === undefined) return undefined;
  const named = answerModel === null ? {} : { answerModel };
  return {
    ...head,
    type: "chat",
    endpoints,
    contextTokens,
    maxOutputTokens,
    reasoning,
    imageTokens,
    ...named,
    ...tariff,
    routes,
  };
}

function readCost(
  reader: YamlReader,
  price: Place,
  { costTiers, costSurcharges }: CostPlaces,
  writes: WriteRule | null,
): ChatTariff | undefined {
  return readTariff(reader, { price, tiers: costTiers, surcharges: costSurcharges }, { writes });
}

function writeRule(
  { leniency }: ModelSubject,
  upstream: UpstreamConfig | undefined,
): WriteRule | null {
  return upstream?.protocol === "anthropic"
    ? { upstream: upstream.name, warnings: leniency }
    : null;
}

function readTaskModel(
  reader: YamlReader,
  at: Place,
  { id, upstreams }: ModelSubject,
): TaskModel | undefined {
  const fields = reader.fields(at, TASK_FIELDS);
  if (fields === undefined) return undefined;
  const head = readHead(reader, id, fields);
  const parametersPlace = reader.required(at, fields, "parameters");
  const pricePlace = reader.required(at, fields, "price");
  const routesPlace = reader.required(at, fields, "routes");
  const parameters = parametersPlace && reader.oneOf(parametersPlace, TASK_TABLE_IDS);
  const priced = parameters === undefined ? undefined : pricedParameters(parameters);
  const price = pricePlace && readTaskPrice(reader, pricePlace, priced);
  const deadlineSeconds =
    fields.deadlineSeconds === undefined
      ? DEFAULT_DEADLINE_SECONDS
      : reader.wholeNumber(fields.deadlineSeconds, 1, LONGEST_DEADLINE_SECONDS);
  const routes =
    routesPlace &&
    readRoutes(reader, routesPlace, {
      upstreams,
      protocols: TASK_PROTOCOLS,
      ownKeys: ["limits"],
      readCost: (cost) => readTaskPrice(reader, cost, priced),
      readLimits: (limits) => readRouteLimits(reader, limits, parameters),
    });
  if (
    head === undefined ||
    parameters === undefined ||
    price === undefined ||
    deadlineSeconds === undefined ||
    routes === undefined
  )
    return undefined;
  return { ...head, type: "task", parameters, price, deadlineSeconds, routes };
}

function readHead(
  reader: YamlReader,
  id: string,
  fields: { readonly displayName?: Place; readonly createdAt?: Place },
): Pick<ChatModel, "id" | "displayName" | "createdAt"> | undefined {
  const displayName = fields.displayName && reader.text(fields.displayName);
  if (
    fields.displayName !== undefined &&
    displayName !== undefined &&
    displayName.length > LONGEST_DISPLAY_NAME
  ) {
    reader.note(fields.displayName, "name_too_long", { max: LONGEST_DISPLAY_NAME });
  }
  const createdAt = fields.createdAt && readDate(reader, fields.createdAt);
  if (
    (fields.displayName !== undefined && displayName === undefined) ||
    (fields.createdAt !== undefined && createdAt === undefined)
  )
    return undefined;
  return {
    id,
    ...(displayName === undefined ? {} : { displayName }),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}

function readDate(reader: YamlReader, at: Place): Date | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const date =
    /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text)
      ? new Date(text)
      : new Date(Number.NaN);
  if (!Number.isNaN(date.getTime())) return date;
  reader.note(at, "expected", { what: "date", got: shown(at) });
  return undefined;
}

function readEndpoints(reader: YamlReader, at: Place): ChatEndpoint[] | undefined {
  const places = reader.items(at);
  if (places === undefined) return undefined;
  if (places.length === 0) reader.note(at, "no_endpoint", { known: CHAT_ENDPOINTS });
  const endpoints: ChatEndpoint[] = [];
  for (const place of places) {
    const endpoint = reader.oneOf(place, CHAT_ENDPOINTS);
    if (endpoint === undefined) continue;
    if (endpoints.includes(endpoint)) reader.note(place, "endpoint_twice", { endpoint });
    endpoints.push(endpoint);
  }
  return endpoints.length === places.length && endpoints.length > 0 ? endpoints : undefined;
}

const REASONING: Readonly<Record<"true" | "false" | "adaptive", ModelReasoning>> = {
  true: true,
  false: false,
  adaptive: "adaptive",
};

function readReasoning(reader: YamlReader, at: Place): ModelReasoning | undefined {
  const word = reader.oneOf(at, ["true", "false", "adaptive"]);
  return word === undefined ? undefined : REASONING[word];
}
