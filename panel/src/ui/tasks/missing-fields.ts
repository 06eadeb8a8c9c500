/**
 * What the form of a task still lacks: told without asking the API for a price, which would only
 * answer with a refusal.
 */
import type { PanelErrorBody } from "../../../../src/contract/panel/panel-error.ts";
import type {
  PanelObjectField,
  PanelTaskField,
} from "../../../../src/contract/panel/panel-model.ts";

type Mistakes = PanelErrorBody["error"]["errors"];
type Values = Readonly<Record<string, unknown>>;

/**
 * Required parameters without a value, and numbers that could not be read, those of listed objects
 * too, as the API would tell them.
 */
export function missingFields(
  fields: readonly (PanelTaskField | PanelObjectField)[],
  values: Values,
  prefix = "",
): Mistakes {
  return fields.flatMap((field) => {
    const [param, value] = [`${prefix}${field.name}`, values[field.name] ?? null];
    // A number field could not read it, and says so itself.
    if (Number.isNaN(value))
      return [{ param, code: "no_number", message: `'${param}' must be a number.`, params: {} }];
    if (value === null)
      return field.required
        ? [{ param, code: "required", message: `'${param}' is required.`, params: {} }]
        : [];
    if (!("fields" in field) || field.fields === undefined || !Array.isArray(value)) return [];
    const inner = field.fields;
    return (value as readonly Values[]).flatMap((object, at) =>
      missingFields(inner, object, `${param}[${at}].`),
    );
  });
}
