/**
 * A page of the API reference: its endpoints and the schemas that they name, as the OpenAPI document
 * describes them, which is in English. Read without a script, found by the browser's own search.
 */
import { docsPage } from "../docs-frame.ts";
import { API_REST } from "../docs-map.ts";
import { markup, type Markup } from "../markup.ts";
import type { SitePage } from "../page-frame.ts";
import { table } from "../page-parts.ts";
import type { Site } from "../site-place.ts";
import { schemaName, type ApiDocument, type ApiOperation, type Content } from "./api-document.ts";
import { listOperations, type ListedOperation } from "./list-operations.ts";
import type { ReferenceGroup } from "../reference-groups.ts";
import { referenceTextsOf } from "./reference-texts.ts";
import { requestExample } from "./request-example.ts";
import { createSchemaWriter, type SchemaWriter } from "./schema-writer.ts";

const FIRST_ERROR = 400;
/** On every answer; the page of errors says so. */
const EVERYWHERE = "x-request-id";

export function referencePage(site: Site, document: ApiDocument, group: ReferenceGroup): SitePage {
  const t = referenceTextsOf(site);
  const writer = createSchemaWriter(site, document);
  const operations = listOperations(document, group);
  const { taskEnded } = document.webhooks;
  const webhooks = group === "tasks" && taskEnded !== undefined ? [taskEnded.post] : [];
  const body = markup`${operations.map((one) => operationOf(one, site, document, writer))}${webhooks.map(
    (one) => webhookOf(one, site, writer),
  )}`;
  const schemas = writer.named();
  return docsPage(site, {
    title: t.pageTitle(group),
    description: `${t.title}: ${t.groups[group]}`,
    rest: `${API_REST}/${group}`,
    lead: t.lead,
    anchors: [
      ...operations.map(({ method, path, operation }) => ({
        id: operation.operationId,
        title: markup`<code>${method} ${path}</code> ${t.summaryOf(operation)}`,
      })),
      ...webhooks.map((one) => ({ id: one.operationId, title: t.summaryOf(one) })),
      ...(schemas === null ? [] : [{ id: "schemas", title: t.schemas }]),
    ],
    body: markup`${body}${schemas === null ? null : markup`<section id="schemas"><h2>${t.schemas}</h2><div class="page">${schemas}</div></section>`}`,
  });
}

function operationOf(
  { method, path, operation }: ListedOperation,
  site: Site,
  document: ApiDocument,
  writer: SchemaWriter,
): Markup {
  const t = referenceTextsOf(site);
  const { operationId, description, security } = operation;
  return markup`<section class="op" id="${operationId}"><h2><a href="#${operationId}">${t.summaryOf(operation)}</a></h2>
<p><code><b>${method}</b> ${path}</code>${security.length === 0 ? markup` <span class="tag">${t.open}</span>` : null}</p>
${writer.described(description)}
${parametersOf(operation, site, writer)}
${bodyOf(operation, site, document, writer)}
${answersOf(operation, site, writer)}</section>
`;
}

function webhookOf(operation: ApiOperation, site: Site, writer: SchemaWriter): Markup {
  const t = referenceTextsOf(site);
  const { operationId } = operation;
  return markup`<section class="op" id="${operationId}"><h2><a href="#${operationId}">${t.summaryOf(operation)}</a></h2>
<p>${t.webhook} <a href="/${site.language}/docs/webhooks">${t.webhookGuide}</a></p>
${contentOf(operation, t.body, writer)}</section>
`;
}

function parametersOf(
  { operationId, parameters = [] }: ApiOperation,
  site: Site,
  writer: SchemaWriter,
): Markup | null {
  if (parameters.length === 0) return null;
  const t = referenceTextsOf(site);
  const rows = parameters.map(({ name, in: place, required, description, schema }) => ({
    cells: [
      markup`<code>${name}</code>${required ? markup` <span class="tag">${t.required}</span>` : null}`,
      t.places[place] ?? place,
      writer.meaning({ ...schema, ...(description === undefined ? {} : { description }) }),
    ],
  }));
  const columns = [{ title: t.name }, { title: t.place }, { title: t.meaning }] as const;
  return markup`<h3>${t.parameters}</h3>${table(`${t.parameters}: ${operationId}`, columns, rows, { captionUnseen: true, stacked: true })}`;
}

function bodyOf(
  operation: ApiOperation,
  site: Site,
  { components }: ApiDocument,
  writer: SchemaWriter,
): Markup | null {
  const t = referenceTextsOf(site);
  const [first] = Object.values(operation.requestBody?.content ?? {});
  if (first === undefined) return null;
  const name = schemaName(first.schema);
  const schema = name === null ? first.schema : components.schemas[name];
  const example = requestExample(schema?.examples?.[0], site);
  return markup`${contentOf(operation, t.body, writer)}${example}`;
}

/** What is sent, by its type. */
function contentOf(
  { operationId, requestBody }: ApiOperation,
  title: string,
  writer: SchemaWriter,
): Markup {
  return markup`<h3>${title}</h3>${valuesOf(requestBody?.content ?? {}, `${operationId}-body`, writer)}`;
}

function answersOf(
  { operationId, responses }: ApiOperation,
  site: Site,
  writer: SchemaWriter,
): Markup {
  const t = referenceTextsOf(site);
  const all = Object.entries(responses);
  const good = all.filter(([status]) => Number(status) < FIRST_ERROR);
  const errors = all.map(([status]) => status).filter((status) => Number(status) >= FIRST_ERROR);
  const headers = [...new Set(good.flatMap(([, { headers: of = {} }]) => Object.keys(of)))].filter(
    (name) => name !== EVERYWHERE,
  );
  return markup`<h3>${t.answers}</h3>${good.map(
    ([status, { description, content = {} }]) =>
      markup`<p><b>${status}</b> ${writer.english(description)}</p>${valuesOf(content, `${operationId}-${status}`, writer)}`,
  )}${headers.length === 0 ? null : markup`<p>${t.headers}: ${codes(headers)}</p>`}${
    errors.length === 0
      ? null
      : markup`<p><a href="/${site.language}/docs/errors">${site.t.errors}</a>: ${codes(errors)}</p>`
  }`;
}

function codes(names: readonly string[]): readonly Markup[] {
  return names.map((name, at) => markup`${at === 0 ? "" : ", "}<code>${name}</code>`);
}

/** What is the same in several types stands there once. */
function valuesOf(content: Content, id: string, writer: SchemaWriter): readonly Markup[] {
  const same = Map.groupBy(Object.entries(content), ([, { schema }]) => JSON.stringify(schema));
  return [...same.values()].flatMap((parts) => {
    const [first] = parts;
    if (first === undefined) return [];
    const [type, { schema }] = first;
    const types = parts.map(([one]) => one);
    return [writer.value(types, schema, `${id}-${type.replaceAll(/\W+/g, "-")}`)];
  });
}
