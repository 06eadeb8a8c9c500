/** The fields of a schema as the rows of a table: what lies inside is named by its way there. */
import { schemaName, type ApiSchema } from "./api-document.ts";

export interface FieldRow {
  /** `messages[].content` */
  readonly name: string;
  readonly required: boolean;
  readonly schema: ApiSchema;
}

/** Whether the fields of a schema within another stand elsewhere on the page. */
type StandsElsewhere = (schema: ApiSchema) => boolean;

/** Deeper ones are there in the document, and rare. */
const DEEPEST = 6;
const NONE_DOES: StandsElsewhere = () => false;

/** Without those of schemas that have a name: they have a table of their own. */
export function fieldRows(
  schema: ApiSchema,
  standsElsewhere: StandsElsewhere = NONE_DOES,
): readonly FieldRow[] {
  function rowsOf(of: ApiSchema, before: string, depth: number): readonly FieldRow[] {
    if (depth > DEEPEST || schemaName(of) !== null) return [];
    if (depth > 0 && standsElsewhere(of)) return [];
    const { properties = {}, required = [], items } = of;
    const own = Object.entries(properties).flatMap(([name, inner]) => [
      { name: `${before}${name}`, required: required.includes(name), schema: inner },
      ...rowsOf(inner, `${before}${name}.`, depth + 1),
    ]);
    // `messages.` of a list is `messages[].`
    const ofItems =
      items === undefined ? [] : rowsOf(items, before.replace(/\.?$/, "[]."), depth + 1);
    return [...own, ...ofItems, ...branches(of, before, depth)];
  }

  /** Of several forms each by the `type` that it has, or by its number. */
  function branches({ anyOf = [] }: ApiSchema, before: string, depth: number): readonly FieldRow[] {
    const forms = anyOf.filter(({ type }) => type !== "null");
    const [only] = forms;
    if (only !== undefined && forms.length === 1) return rowsOf(only, before, depth + 1);
    return forms.flatMap((form, at) => {
      const kind = form.properties?.["type"]?.const;
      const name = typeof kind === "string" ? kind : String(at + 1);
      return rowsOf(form, `${before.replace(/\.$/, "")}(${name}).`, depth + 1);
    });
  }

  return rowsOf(schema, "", 0);
}
