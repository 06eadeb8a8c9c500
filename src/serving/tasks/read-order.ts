/**
 * Reads what a task's body orders: of which model, with which parameters, at which price; or throws
 * what is wrong with it, all at once.
 */
import type { Catalogue, TaskModel } from "../../catalogue/catalogue.ts";
import { priceTask } from "../../contract/price/price-task.ts";
import { checkMeasured, secondsAmong } from "../../contract/tasks/check-measured.ts";
import { listMedia } from "../../contract/tasks/list-media.ts";
import { readTaskParameters } from "../../contract/tasks/read-task-parameters.ts";
import { addressMistake, bodyMistake } from "../../contract/tasks/say-mistake.ts";
import type { TaskMistake } from "../../contract/tasks/task-mistake.ts";
import type { TaskParameters, TaskTable, TaskTableId } from "../../contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { UrlVerdict } from "../../net/check-url.ts";
import { readJsonObject } from "../../protocol/json/read-json-object.ts";
import { checkKeyAccess } from "../admission/authenticate.ts";
import { ownName } from "../files/own-name.ts";
import { checkOwnMedia, type OwnMediaDeps } from "./check-own-media.ts";
import { eligibleRoutes } from "./eligible-routes.ts";

export interface OrderDeps extends OwnMediaDeps {
  readonly catalogue: { current(): { readonly version: number; readonly catalogue: Catalogue } };
  /** The guard's rules for an address of a customer. */
  checkUrl(text: string): UrlVerdict;
}

export interface OrderCall {
  /** What it may do. */
  readonly key: Pick<KeyRecord, "models" | "groupModels" | "ips">;
  readonly ip: string;
  /** As the path names it. */
  readonly model: string;
  readonly body: Buffer;
  /** As the header `x-callback-url` says it. */
  readonly callbackUrl: string | null;
}

export interface Order {
  readonly model: TaskModel;
  readonly table: TaskTable;
  readonly parameters: TaskParameters;
  readonly hasMedia: boolean;
  readonly callbackUrl: string | null;
  readonly priceVersion: number;
  readonly priceNano: Nano;
  /** What 1, 2, … files cost, where their number decides; null where it does not. */
  readonly priceByFilesNano: readonly Nano[] | null;
}

/** The parameter that says how many files are made at most, in every table that has one. */
export const FILES_PARAMETER = "maxImages";

/**
 * Whether there is such a model and the key may order of it. Faults: `model_not_found`;
 * `wrong_endpoint` for a chat model; `permission_denied`.
 */
export function checkOrdering(
  deps: Pick<OrderDeps, "catalogue">,
  call: OrderCall,
): { readonly version: number; readonly model: TaskModel } {
  const { version, catalogue } = deps.catalogue.current();
  const model = findTaskModel(catalogue, call.model);
  checkKeyAccess(call.key, { model: model.id, ip: call.ip });
  return { version, model };
}

/**
 * Faults: those of checkOrdering; `invalid_request` with every mistake of the body, the header and
 * the files of our own storage.
 */
export async function readOrder(deps: OrderDeps, call: OrderCall): Promise<Order> {
  const { version, model } = checkOrdering(deps, call);
  const table = TASK_TABLES.get(model.parameters as TaskTableId);
  assert(table !== undefined, "the catalogue names tables that exist");
  const body = readJsonObject(call.body, []);
  if (!body.ok) throw body.fault;

  const staticUrl = deps.staticUrl();
  const reading = readTaskParameters(table, body.object.value, (text) =>
    ownName(text, staticUrl) === null ? deps.checkUrl(text) : { ok: true },
  );
  const mistakes = [
    ...checkCallback(deps, call.callbackUrl),
    ...(reading.ok ? [] : reading.mistakes),
  ];
  if (!reading.ok) throw refusal(mistakes);
  const media = listMedia(table, reading.parameters);
  const own = await checkOwnMedia(deps, media);
  const lengths = own.measured.map(({ reference, facts }) => ({
    reference,
    seconds: facts.kind === "image" ? null : facts.durationSeconds,
  }));
  const given = (name: string): boolean => (body.object.value[name] ?? null) !== null;
  const parameters =
    table.completeMeasured?.(reading.parameters, given, secondsAmong(lengths)) ??
    reading.parameters;
  mistakes.push(...own.mistakes, ...checkMeasured(table, parameters, lengths));
  const eligible = eligibleRoutes(model.routes, parameters, own.measured);
  if (eligible.kind === "none") mistakes.push(...eligible.mistakes);
  if (mistakes.length > 0) throw refusal(mistakes);
  return {
    model,
    table,
    parameters,
    hasMedia: media.length > 0,
    callbackUrl: call.callbackUrl,
    priceVersion: version,
    priceNano: priceOf(model, parameters),
    priceByFilesNano: priceByFiles(model, parameters),
  };
}

function findTaskModel(catalogue: Catalogue, id: string): TaskModel {
  const model = catalogue.models.get(id);
  if (model === undefined) {
    const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id;
    throw new Fault("model_not_found", {
      message: `There is no model "${shown}". GET /v1/models lists what there is.`,
      param: "model",
      params: { model: shown },
    });
  }
  if (model.type === "task") return model;
  throw new Fault("wrong_endpoint", {
    message: `The model "${id}" is not for tasks; its entry in GET /v1/models names the endpoints that serve it.`,
    param: "model",
    params: { model: id },
  });
}

function checkCallback(deps: Pick<OrderDeps, "checkUrl">, url: string | null): TaskMistake[] {
  const verdict = url === null ? null : deps.checkUrl(url);
  if (verdict === null || verdict.ok) return [];
  const mistake = addressMistake("x-callback-url", verdict.rule, verdict.message);
  return [{ ...mistake, message: `The header x-callback-url: ${verdict.message}` }];
}

function refusal(mistakes: readonly TaskMistake[]): Fault {
  const [first] = mistakes;
  assert(first !== undefined, "a refusal has a mistake");
  const message =
    mistakes.length === 1
      ? first.message
      : `${first.message} (${mistakes.length} mistakes in all: see errors.)`;
  return new Fault("invalid_request", { message, param: first.param, errors: mistakes });
}

function priceOf(model: TaskModel, parameters: TaskParameters): Nano {
  const quote = priceTask(model.price, parameters);
  if (quote.kind === "priced") return quote.amountNano;
  const { parameter } = quote;
  const given = parameters[parameter];
  const what = given === undefined ? `without '${parameter}'` : `with '${parameter}' as it is`;
  throw new Fault("invalid_request", {
    message: `This model has no price ${what}, so it cannot be ordered so.`,
    param: parameter,
    errors: [bodyMistake(parameter, "unpriced", { name: parameter })],
  });
}

function priceByFiles(model: TaskModel, parameters: TaskParameters): Nano[] | null {
  const { quantity } = model.price;
  const most = parameters[FILES_PARAMETER];
  if (
    quantity.kind !== "parameter" ||
    quantity.parameter !== FILES_PARAMETER ||
    typeof most !== "number"
  )
    return null;
  return Array.from({ length: most }, (_, index) =>
    priceOf(model, { ...parameters, [FILES_PARAMETER]: index + 1 }),
  );
}
