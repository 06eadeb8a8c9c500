/** The first page of the API reference: every endpoint in a line, by group. */
import { docsPage } from "../docs-frame.ts";
import { API_REST } from "../docs-map.ts";
import { markup, type Markup } from "../markup.ts";
import type { SitePage } from "../page-frame.ts";
import { table } from "../page-parts.ts";
import type { Site } from "../site-place.ts";
import type { ApiDocument } from "./api-document.ts";
import { listOperations } from "./list-operations.ts";
import { REFERENCE_GROUPS, type ReferenceGroup } from "../reference-groups.ts";
import { referenceTextsOf } from "./reference-texts.ts";

export function endpointsPage(site: Site, document: ApiDocument): SitePage {
  const t = referenceTextsOf(site);
  const groups = REFERENCE_GROUPS.filter((group) => listOperations(document, group).length > 0);
  return docsPage(site, {
    title: t.title,
    description: t.description,
    rest: API_REST,
    lead: t.lead,
    anchors: groups.map((id) => ({ id, title: t.groups[id] })),
    body: markup`<section class="guide" id="address"><h2>${t.address}</h2><p>${t.addressIs} <code>${site.origin}/v1</code></p><p>${t.keys} <code>Authorization: Bearer …</code>, <code>x-api-key</code></p>
<p>${t.machines} <a href="/openapi.json">openapi.json</a>. ${t.viewer} <a href="/docs" hreflang="en">${t.viewerLink}</a></p></section>
${groups.map((group) => endpoints(group, site, document))}`,
  });
}

function endpoints(group: ReferenceGroup, site: Site, document: ApiDocument): Markup {
  const t = referenceTextsOf(site);
  const page = `/${site.language}${API_REST}/${group}`;
  const rows = listOperations(document, group).map(({ method, path, operation }) => ({
    cells: [
      markup`<a class="name" href="${page}#${operation.operationId}"><code>${method} ${path}</code></a>`,
      t.summaryOf(operation),
    ],
  }));
  const columns = [{ title: t.endpoint }, { title: t.meaning }] as const;
  return markup`<section id="${group}"><h2><a href="${page}">${t.groups[group]}</a></h2>${table(t.groups[group], columns, rows, { captionUnseen: true, headsUnseen: true, stacked: true })}</section>
`;
}
