/** Writes the schemas of one page of the reference: each that has a name once, behind the endpoints. */
import { taskTableRest, taskTables } from "../docs-map.ts";
import { inlineText } from "../inline-text.ts";
import { markup, type Markup } from "../markup.ts";
import { table } from "../page-parts.ts";
import type { Site } from "../site-place.ts";
import type { ApiDocument, ApiSchema } from "./api-document.ts";
import { fieldRows } from "./field-rows.ts";
import { referenceTextsOf } from "./reference-texts.ts";
import { typeWords } from "./type-words.ts";

export interface SchemaWriter {
  /** A text of the document, which is in English wherever it stands. */
  english(text: string): Markup;
  /** A description, in paragraphs. */
  described(text: string | undefined): readonly Markup[];
  /** What a value may be and what it means, for a cell. */
  meaning(schema: ApiSchema): Markup;
  /** A body, by its types: a link to its name, or its fields under `id`, or a link to where the same stood before. */
  value(contentTypes: readonly string[], schema: ApiSchema, id: string): Markup;
  /** Those that were named, with those that they name; null: none. To be asked last. */
  named(): Markup | null;
}

/** Tables of tasks have pages of their own. */
const TASK_TABLE = /^Task(T\d+)$/;

export function createSchemaWriter(site: Site, { components }: ApiDocument): SchemaWriter {
  const t = referenceTextsOf(site);
  const tables = taskTables(site.list.data);
  const names = new Set<string>();
  const shown = new Map<string, string>();
  const lang = site.language === "en" ? null : markup` lang="en"`;
  const inline = (text: string): Markup => inlineText(text, { linkTo: () => null });

  function link(name: string): Markup {
    const id = TASK_TABLE.exec(name)?.[1];
    if (id === undefined) {
      names.add(name);
      return markup`<a href="#schema-${name}">${name}</a>`;
    }
    return tables.has(id)
      ? markup`<a href="/${site.language}${taskTableRest(id)}">${id}</a>`
      : markup`${id}`;
  }

  function type(schema: ApiSchema): Markup {
    const { parts, bounds } = typeWords(schema);
    const written = parts.map((part) => (typeof part === "string" ? part : link(part.schema)));
    return markup`<code>${written}</code>${bounds === "" ? "" : ` ${bounds}`}`;
  }

  /** Where the fields of the same schema stand already. */
  function above(schema: ApiSchema): Markup | null {
    const id = shown.get(JSON.stringify(schema));
    return id === undefined ? null : markup` <a href="#${id}">${t.asAbove}</a>`;
  }

  function meaning(schema: ApiSchema): Markup {
    const { description } = schema;
    return markup`${type(schema)}${above(schema)}${description === undefined ? null : markup`<br><span${lang}>${inline(description)}</span>`}`;
  }

  function fields(schema: ApiSchema, caption: string): Markup {
    const all = fieldRows(schema, (inner) => above(inner) !== null);
    const rows = all.map(({ name, required, schema: of }) => ({
      cells: [
        markup`<code>${breakable(name)}</code>${required ? markup` <span class="tag">${t.required}</span>` : null}`,
        meaning(of),
      ],
    }));
    if (rows.length === 0) return markup`<p>${type(schema)}</p>`;
    const columns = [{ title: t.field }, { title: t.meaning }] as const;
    return table(`${t.fields}: ${caption}`, columns, rows, { captionUnseen: true, stacked: true });
  }

  const english = (text: string): Markup => markup`<span${lang}>${inline(text)}</span>`;
  const described = (text: string | undefined): readonly Markup[] =>
    (text ?? "")
      .split("\n\n")
      .filter((part) => part !== "")
      .map((part) => markup`<p${lang}>${inline(part)}</p>`);

  return {
    english,
    described,
    meaning,
    value(contentTypes, schema, id) {
      const written = contentTypes.map((one) => markup`<code>${one}</code> `);
      const known = above(schema);
      if (known !== null) return markup`<p>${written}${known}</p>`;
      if (fieldRows(schema).length === 0) return markup`<p>${written}${meaning(schema)}</p>`;
      shown.set(JSON.stringify(schema), id);
      return markup`<p>${written}</p><div id="${id}">${described(schema.description)}${fields(schema, id)}</div>`;
    },
    named() {
      const sections: Markup[] = [];
      // What a schema names itself is added while it is written, and comes in turn.
      for (const name of names) {
        const schema = components.schemas[name];
        if (schema === undefined) continue;
        sections.push(
          markup`<section class="op" id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${described(schema.description)}${fields(schema, name)}</section>
`,
        );
      }
      return sections.length === 0 ? null : markup`${sections}`;
    },
  };
}

/** A way to a field is broken where a step ends, and nowhere else. */
function breakable(name: string): readonly Markup[] {
  return name
    .split(/(?<=\.)/)
    .map((step, at) => (at === 0 ? markup`${step}` : markup`<wbr>${step}`));
}
