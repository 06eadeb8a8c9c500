/** Short ways to write mappings of parameters; what is not said is that nothing special happens. */
import type { FieldMapping, MappingChoice, TableMapping } from "../../protocol/task-provider.ts";

export function field(to: string, more: Partial<FieldMapping> = {}): FieldMapping {
  return {
    to,
    as: null,
    values: new Map(),
    item: undefined,
    at: null,
    keys: {},
    only: null,
    value: undefined,
    suffix: null,
    ...more,
  };
}

export function table(
  mapping: Partial<Omit<TableMapping, "fields">> & { readonly fields?: FieldTexts },
): TableMapping {
  const { fields = {}, ...more } = mapping;
  return {
    path: null,
    drop: [],
    constants: new Map(),
    inModel: [],
    words: {},
    choices: [],
    ...more,
    fields: fieldMap(fields),
  };
}

export function choice(
  more: Partial<Omit<MappingChoice, "fields">> &
    Pick<MappingChoice, "when"> & { readonly fields?: FieldTexts },
): MappingChoice {
  const { fields = {}, ...rest } = more;
  return { reject: null, model: null, words: {}, drop: [], ...rest, fields: fieldMap(fields) };
}

/** A text is where the parameter goes. */
type FieldTexts = Readonly<Record<string, string | readonly FieldMapping[]>>;

function fieldMap(fields: FieldTexts): ReadonlyMap<string, readonly FieldMapping[]> {
  return new Map(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? [field(value)] : value,
    ]),
  );
}
