/**
 * The public pages: what visitors and search engines read before anybody logs in, in two languages,
 * and the same for programs. Drawn once for each catalogue, brand and language.
 */
import Type from "typebox";
import type { ServiceStatus } from "../../business/operate/service-status.ts";
import { DEFAULT_INSTALLATION } from "../../business/settings/default-installation.ts";
import { CURRENCY } from "../../contract/enums/currency.ts";
import { LANGUAGES, type Language } from "../../contract/enums/language.ts";
import type { Installation } from "../../contract/panel/installation.ts";
import type { PanelModelList } from "../../contract/panel/panel-model.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Answer, OpenRoute, Route, RouteCall, RouteDescription } from "../route.ts";
import { askBriefly } from "./ask-briefly.ts";
import { changelogPage } from "./changelog-page.ts";
import { chooseLanguage } from "./choose-language.ts";
import { API_REST, CHANGELOG_REST, taskTables } from "./docs-map.ts";
import { guidePage } from "./guide-page.ts";
import { GUIDES } from "./guide-place.ts";
import { createKeptPages, type DrawnText, type KeptPages } from "./kept-pages.ts";
import { landingPage } from "./landing-page.ts";
import { modelPage } from "./model-page.ts";
import { isPlain, modelsPage, readModelsView, type ModelsQuery } from "./models-page.ts";
import type { Fares } from "./models-table.ts";
import { nothingPage } from "./nothing-page.ts";
import { drawPage, type SitePage } from "./page-frame.ts";
import { indexText, llmsText, robotsText, siteMap } from "./plain-texts.ts";
import type { ApiDocument } from "./reference/api-document.ts";
import { REFERENCE_GROUPS } from "./reference-groups.ts";
import { endpointsPage } from "./reference/endpoints-page.ts";
import { referencePage } from "./reference/reference-page.ts";
import { textsOf, type Site } from "./site-place.ts";
import { SITE_SCRIPT, SITE_SCRIPT_NAME } from "./site-script.ts";
import { statusPage } from "./status-page.ts";
import { taskTablePage } from "./task-table-page.ts";

export interface SiteParts {
  /** Those in force; the same object as long as they are. */
  models(): PanelModelList;
  /** Never fails. */
  installation(): Promise<Installation>;
  /** Never fails; null: nothing could be read yet. */
  status(): Promise<ServiceStatus | null>;
  /** The palette, as a style. */
  readonly tokens: string;
  /** As CHANGELOG.md has it; empty: there is none. */
  readonly changelog: string;
}

interface SiteDeps {
  readonly parts: SiteParts;
  readiness(): Promise<{ readonly ok: boolean }>;
  /** The OpenAPI document, of which the reference is made. */
  describeApi(): object;
  /** Where the outside reaches us; asked when a page is drawn, because the port may be known late. */
  baseUrl(): string;
  readonly clock: Clock;
}

/** Of a server that has nothing to sell. */
export const NO_SITE: SiteParts = {
  models: () => ({ priceVersion: 0, currency: CURRENCY, data: [] }),
  installation: () => Promise.resolve(DEFAULT_INSTALLATION),
  status: () => Promise.resolve(null),
  tokens: "",
  changelog: "",
};

const READY_FOR_MS = 5_000;
const SCRIPT_PATH = `/site/${SITE_SCRIPT_NAME}`;
/** Kept by browsers and caches in between, and asked about each time: prices are those in force. */
const ASK_EACH_TIME = "public, no-cache";
const FOREVER = "public, max-age=31536000, immutable";

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const ModelsQuerySchema = Type.Object({
  kind: text(40),
  q: text(2_000),
  requestsPerDay: text(20),
  inputTokens: text(20),
  outputTokens: text(20),
  cachedPercent: text(20),
});

export function siteRoutes(deps: SiteDeps): Route[] {
  const { parts } = deps;
  const pages = createKeptPages();
  const statusPages = createKeptPages();
  /** What tells how models fare: drawn anew where that changes. */
  const faringPages = createKeptPages();
  /** The status that they were drawn with, by number: it is the same object for a while. */
  let drawnWith: { readonly service: ServiceStatus | null; readonly number: number } = {
    service: null,
    number: 0,
  };
  const isReady = askBriefly(deps.clock, READY_FOR_MS, () => deps.readiness());

  async function siteOf(language: Language): Promise<{ site: Site; version: string }> {
    const installation = await parts.installation();
    const list = parts.models();
    const origin = deps.baseUrl().replace(/\/$/, "");
    const site = {
      language,
      t: textsOf(language),
      installation,
      list,
      origin,
      tokens: parts.tokens,
    };
    return { site, version: JSON.stringify([list.priceVersion, origin, installation]) };
  }

  /** A page that is the same for all who ask for it by this name; null: for this request alone. */
  async function show(
    call: RouteCall<unknown>,
    language: Language,
    pageOf: (site: Site) => { readonly name: string | null; draw(): SitePage },
    vary?: string,
  ): Promise<Answer> {
    const { site, version } = await siteOf(language);
    const { name, draw } = pageOf(site);
    const full = name === null ? null : `${language} ${vary ?? ""} ${name}`;
    return pages.page(version, full, () => asText(site, draw(), vary), call);
  }

  async function showStatus(call: RouteCall<unknown>, language: Language): Promise<Answer> {
    const [{ site, version }, { ok }, service] = await Promise.all([
      siteOf(language),
      isReady(),
      parts.status(),
    ]);
    const status = { ready: ok, service };
    return statusPages.page(
      JSON.stringify([version, status]),
      language,
      () => asText(site, statusPage(site, status)),
      call,
    );
  }

  /** A page with models that fare somehow: as `show`, and as new as that. */
  async function showFaring(
    call: RouteCall<unknown>,
    language: Language,
    pageOf: (site: Site) => { readonly name: string | null; draw(fares: Fares): SitePage },
    vary?: string,
  ): Promise<Answer> {
    const [{ site, version }, service] = await Promise.all([siteOf(language), parts.status()]);
    if (drawnWith.service !== service) drawnWith = { service, number: drawnWith.number + 1 };
    const { name, draw } = pageOf(site);
    const fares: Fares = (id) => service?.models.find((one) => one.id === id) ?? null;
    return faringPages.page(
      `${version} ${drawnWith.number}`,
      name === null ? null : `${language} ${vary ?? ""} ${name}`,
      () => asText(site, draw(fares), vary),
      call,
    );
  }

  async function showModel(call: RouteCall<unknown>, language: Language): Promise<Answer> {
    const id = call.params["id"] ?? "";
    const model = parts.models().data.find((one) => one.id === id);
    if (model === undefined) return showNothing(call, language, "models");
    return showFaring(call, language, (site) => ({
      name: `model ${id}`,
      draw: (fares) => modelPage(site, model, fares(id)),
    }));
  }

  async function showTable(call: RouteCall<unknown>, language: Language): Promise<Answer> {
    const name = (call.params["table"] ?? "").toUpperCase();
    const found = taskTables(parts.models().data).get(name);
    if (found === undefined) return showNothing(call, language, "pages");
    return show(call, language, (site) => ({
      name: `table ${name}`,
      draw: () => taskTablePage(site, ...found),
    }));
  }

  /** Visitors are answered in their language, with a way on. */
  async function showNothing(
    call: RouteCall<unknown>,
    language: Language,
    where: Parameters<typeof nothingPage>[1],
  ): Promise<Answer> {
    // Whole each time: a 304 tells no one that there is nothing.
    const asked = { ...call, headers: { ...call.headers, "if-none-match": undefined } };
    const answer = await show(asked, language, (site) => ({
      name: `nothing in ${where}`,
      draw: () => nothingPage(site, where),
    }));
    return { ...answer, status: 404 };
  }

  /** The document is our own, made from the table of routes when a page is drawn. */
  const describeApi = (): ApiDocument => deps.describeApi() as ApiDocument;

  const fixed = (language: Language, rest: string, draw: (site: Site) => SitePage): Route =>
    page(`/${language}${rest}`, rest, {
      handle: (call) => show(call, language, (site) => ({ name: rest, draw: () => draw(site) })),
    });

  /** What of the documentation is no guide. */
  const docsRoutes = (language: Language): Route[] => [
    page(`/${language}/docs/tasks/{table}`, "one table of parameters", {
      handle: (call) => showTable(call, language),
    }),
    fixed(language, API_REST, (site) => endpointsPage(site, describeApi())),
    ...REFERENCE_GROUPS.map((group) =>
      fixed(language, `${API_REST}/${group}`, (site) => referencePage(site, describeApi(), group)),
    ),
    fixed(language, CHANGELOG_REST, (site) => changelogPage(site, parts.changelog)),
  ];

  const ofLanguage = (language: Language): Route[] => [
    page(`/${language}`, "the first page", {
      handle: (call) =>
        showFaring(call, language, (site) => ({
          name: "landing",
          draw: (fares) => landingPage(site, fares),
        })),
    }),
    page(`/${language}/models`, "models and prices", {
      query: ModelsQuerySchema,
      handle: (call) =>
        showFaring(call, language, (site) => {
          const view = readModelsView(call.query as ModelsQuery, site);
          const name = isPlain(view) ? `models ${view.kind ?? ""}` : null;
          return { name, draw: (fares) => modelsPage(site, view, fares) };
        }),
    }),
    page(`/${language}/models/{id}`, "one model", {
      catchAll: true,
      handle: (call) => showModel(call, language),
    }),
    ...GUIDES.map(([name, rest]) => fixed(language, rest, (site) => guidePage(site, name))),
    ...docsRoutes(language),
    page(`/${language}/status`, "status", { handle: (call) => showStatus(call, language) }),
    page(`/${language}/{path}`, "what there is none of", {
      catchAll: true,
      handle: (call) => showNothing(call, language, "pages"),
    }),
  ];

  return [
    indexRoute(async (call) => {
      if (call.headers.accept?.includes("text/html") !== true) {
        const { name } = await parts.installation();
        return {
          headers: { vary: "accept" },
          content: { contentType: "text/plain; charset=utf-8", bytes: indexText(name) },
        };
      }
      const language = chooseLanguage(call.headers["accept-language"]);
      const landing = (site: Site) => ({
        name: "landing",
        draw: (fares: Fares) => landingPage(site, fares),
      });
      return showFaring(call, language, landing, "accept, accept-language");
    }),
    ...LANGUAGES.flatMap(ofLanguage),
    ...textRoutes({ siteOf, pages, origin: () => deps.baseUrl().replace(/\/$/, "") }),
    page("/site/{name}", "the script of the public pages", {
      handle({ params }) {
        if (params["name"] !== SITE_SCRIPT_NAME) throw new Fault("not_found");
        return {
          headers: { "cache-control": FOREVER, "x-content-type-options": "nosniff" },
          content: { contentType: "text/javascript; charset=utf-8", bytes: SITE_SCRIPT },
        };
      },
    }),
  ];
}

function indexRoute(handle: OpenRoute["handle"]): OpenRoute {
  return {
    method: "GET",
    path: "/",
    access: "open",
    doc: {
      operationId: "index",
      summary: "What this is, and where things are",
      description:
        "A page for browsers, in Russian or English by Accept-Language; else plain text.",
      tag: "Service",
      responses: {
        200: {
          description: "A page, or plain text.",
          content: { "text/html": Type.String(), "text/plain": Type.String() },
        },
      },
      errors: [],
    },
    handle,
  };
}

function page(
  path: string,
  summary: string,
  rest: Pick<OpenRoute, "handle" | "query" | "catchAll">,
): OpenRoute {
  const doc: RouteDescription = {
    operationId: `site ${path}`,
    summary: `Of the public pages: ${summary}`,
    tag: "Service",
    internal: true,
    responses: {},
    errors: [],
  };
  return { method: "GET", path, access: "open", doc, ...rest };
}

/** What programs read; of the English texts, since one file has one language. */
function textRoutes({
  siteOf,
  pages,
  origin,
}: {
  siteOf(language: Language): Promise<{ site: Site; version: string }>;
  readonly pages: KeptPages;
  origin(): string;
}): Route[] {
  const headers = { "cache-control": ASK_EACH_TIME, "x-content-type-options": "nosniff" };
  const kept = (path: string, contentType: string, write: (site: Site) => string): Route =>
    page(path, path.slice(1), {
      async handle(call) {
        const { site, version } = await siteOf("en");
        const draw = (): DrawnText => ({ contentType, text: write(site), headers });
        return pages.page(version, path, draw, call);
      },
    });
  return [
    kept("/llms.txt", "text/plain; charset=utf-8", llmsText),
    kept("/sitemap.xml", "application/xml; charset=utf-8", siteMap),
    page("/robots.txt", "robots.txt", {
      handle: () => ({
        headers,
        content: { contentType: "text/plain; charset=utf-8", bytes: robotsText(origin()) },
      }),
    }),
  ];
}

/** The page may run our script, talk to us and show our pictures, and stands in no frame. */
function asText(site: Site, shown: SitePage, vary?: string): DrawnText {
  const { text: drawn, styleHash } = drawPage(site, shown, SCRIPT_PATH);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styleHash}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    contentType: "text/html; charset=utf-8",
    text: drawn,
    headers: {
      "cache-control": ASK_EACH_TIME,
      "content-language": site.language,
      "content-security-policy": policy.join("; "),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      ...(vary === undefined ? {} : { vary }),
    },
  };
}
