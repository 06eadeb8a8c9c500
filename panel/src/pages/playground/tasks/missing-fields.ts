/** What an empty form lacks: told without asking the API for a price, which would only answer with a refusal. */
import type { PanelErrorBody } from "../../../../../src/contract/panel/panel-error.ts";
import type { PanelTaskForm } from "../../../../../src/contract/panel/panel-model.ts";
import type { TaskInput } from "./task-call.ts";

/** The required parameters, as the API would tell them; none where something is given already, which the API alone can judge. */
export function missingFields({ fields }: Pick<PanelTaskForm, "fields">, input: TaskInput): PanelErrorBody["error"]["errors"] {
  if (Object.keys(input).length > 0) return [];
  return fields
    .filter(({ required }) => required)
    .map(({ name }) => ({ param: name, code: "required", message: `'${name}' is required.` }));
}
