/**
 * What each route of a task model would send for an order: read and mapped as for a real one, but
 * no file is fetched, nothing is held or sent.
 */
import type { Catalogue, TaskModel } from "../../catalogue/catalogue.ts";
import { listMedia } from "../../contract/tasks/list-media.ts";
import { readTaskParameters } from "../../contract/tasks/read-task-parameters.ts";
import type { TaskParameters, TaskTableId } from "../../contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import { checkUrl } from "../../net/check-url.ts";
import { providerOf } from "../../upstreams/tasks/create-task-adapters.ts";
import { submissionCall } from "../../upstreams/tasks/submit-task.ts";
import { eligibleRoutes } from "../../serving/tasks/eligible-routes.ts";
import { namedCredential, triedRequest, type TriedRoute } from "./tried-request.ts";

/** Any address: nothing is fetched. */
const ANYWHERE = { allow: ["0.0.0.0/0", "::/0"] } as const;
const ATTEMPT = "00000000-0000-4000-8000-000000000000";

/** Throws Fault("invalid_request") with every mistake of the body. */
export function tryTask(
  catalogue: Catalogue,
  model: TaskModel,
  body: Readonly<Record<string, unknown>>,
): TriedRoute[] {
  const table = TASK_TABLES.get(model.parameters as TaskTableId);
  assert(table !== undefined, "the catalogue names tables that exist");
  const reading = readTaskParameters(table, body, (text) => checkUrl(text, ANYWHERE));
  if (!reading.ok) {
    throw new Fault("invalid_request", {
      message: reading.mistakes.map(({ message }) => message).join("\n"),
      errors: reading.mistakes,
    });
  }
  const { parameters } = reading;
  const hasMedia = listMedia(table, parameters).length > 0;
  const media = hasMedia
    ? [
        "in place of these files' addresses it gets those of our copies; what files break is not looked at here",
      ]
    : [];
  return model.routes
    .toSorted((one, other) => one.order - other.order)
    .map((route): TriedRoute => {
      const head = { upstream: route.upstream, model: route.model, order: route.order };
      const eligible = eligibleRoutes([route], parameters, []);
      if (eligible.kind === "none")
        return { ...head, request: null, notes: eligible.mistakes.map(({ message }) => message) };
      return { ...head, ...callOf(catalogue, model, { route, parameters, media }) };
    });
}

interface Tried {
  readonly route: TaskModel["routes"][number];
  readonly parameters: TaskParameters;
  readonly media: readonly string[];
}

function callOf(
  catalogue: Catalogue,
  model: TaskModel,
  { route, parameters, media }: Tried,
): Pick<TriedRoute, "request" | "notes"> {
  const upstream = catalogue.upstreams.get(route.upstream);
  const provider = upstream === undefined ? null : providerOf(upstream);
  if (upstream === undefined || provider === null)
    return { request: null, notes: ["this upstream takes no tasks"] };
  const target = {
    upstream,
    credential: namedCredential(upstream.apiKeyEnv),
    model: route.model,
    table: model.parameters,
  };
  const callbackUrl = `https://YOUR-GATEWAY/v1/callbacks/${encodeURIComponent(upstream.name)}/${ATTEMPT}`;
  const call = submissionCall(provider, target, {
    parameters,
    attemptId: ATTEMPT,
    callbackUrl,
    deadlineSeconds: model.deadlineSeconds,
  });
  if (call.kind === "call") return { request: triedRequest(call.request), notes: media };
  return { request: null, notes: ["reason" in call ? call.reason : call.kind] };
}
