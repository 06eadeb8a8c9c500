/** Every page of the documentation, in groups and in the order in which one reads them. */
import type { PanelModel, PanelTaskForm } from "../../contract/panel/panel-model.ts";
import { GUIDES, type GuideName } from "./guide-place.ts";
import { guideTextsOf } from "./guide-texts.ts";
import { REFERENCE_GROUPS } from "./reference-groups.ts";
import { referenceTextsOf } from "./reference/reference-texts.ts";
import type { Site } from "./site-place.ts";

export const API_REST = "/docs/api";
export const CHANGELOG_REST = "/docs/changelog";
const TASKS_REST = "/docs/tasks";

interface DocsEntry {
  /** Its path behind the language. */
  readonly rest: string;
  readonly title: string;
  /** In the menu, where what stands above it says the rest. */
  readonly label?: string;
  /** In the menu of this page and those below it alone. */
  readonly within?: string;
}

interface DocsGroup {
  readonly title: string;
  readonly entries: readonly DocsEntry[];
}

/** Behind the language. */
export function taskTableRest(table: string): string {
  return `${TASKS_REST}/${table.toLowerCase()}`;
}

/** The tables of parameters that some model takes, each with its models; as the catalogue has them. */
export function taskTables(
  models: readonly PanelModel[],
): ReadonlyMap<string, readonly [PanelTaskForm, readonly PanelModel[]]> {
  const tables = new Map<string, readonly [PanelTaskForm, readonly PanelModel[]]>();
  for (const model of models) {
    const { form } = model;
    if (form === null) continue;
    const [, known = []] = tables.get(form.table) ?? [];
    tables.set(form.table, [form, [...known, model]]);
  }
  return tables;
}

/** Of the map of all pages: the same in every language. */
export function docsRests(models: readonly PanelModel[]): readonly string[] {
  return [
    ...GUIDES.map(([, rest]) => rest),
    ...[...taskTables(models).keys()].map(taskTableRest),
    API_REST,
    ...REFERENCE_GROUPS.map((name) => `${API_REST}/${name}`),
    CHANGELOG_REST,
  ];
}

export function docsGroups(site: Site): readonly DocsGroup[] {
  const texts = guideTextsOf(site);
  const reference = referenceTextsOf(site);
  const { groups } = texts;
  const guide = (name: GuideName): DocsEntry => ({
    rest: GUIDES.find(([one]) => one === name)?.[1] ?? "/docs",
    title: texts[name].title,
  });
  const tables = [...taskTables(site.list.data).values()].map(([{ table, title }]): DocsEntry => ({
    rest: taskTableRest(table),
    title: `${table}. ${title[site.language]}`,
    within: TASKS_REST,
  }));
  const endpoints = REFERENCE_GROUPS.map((name): DocsEntry => ({
    rest: `${API_REST}/${name}`,
    title: reference.pageTitle(name),
    label: reference.groups[name],
    within: API_REST,
  }));
  const first: readonly GuideName[] = ["start", "money", "limits", "idempotency", "errors"];
  const models: readonly GuideName[] = ["chat", "images", "audio", "embeddings", "tasks"];
  return [
    { title: groups.first, entries: first.map(guide) },
    { title: groups.models, entries: [...models.map(guide), ...tables, guide("batches")] },
    { title: groups.files, entries: [guide("files"), guide("webhooks")] },
    {
      title: groups.reference,
      entries: [
        { rest: API_REST, title: reference.title },
        ...endpoints,
        { rest: CHANGELOG_REST, title: texts.changelog.title },
      ],
    },
  ];
}
