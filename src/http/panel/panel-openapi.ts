/**
 * The description of the panel's own API in OpenAPI 3.1, made of the table of its routes: what the
 * pages use, for those who automate what a member does by hand.
 */
import type { TSchema } from "typebox";
import { PanelErrorBody } from "../../contract/panel/panel-error.ts";
import { PANEL_SCHEMAS } from "../../contract/panel/panel-schemas.ts";
import type { PanelRouteName } from "../../contract/panel/routes/panel-api.ts";
import type { PanelRouteTable } from "../../contract/panel/routes/panel-route.ts";
import { PANEL_SUBJECTS } from "../../contract/panel/routes/panel-routes.ts";
import { PUBLIC_SCHEMAS } from "../../contract/public-schemas.ts";
import { describeQuery, describeSchema, namesOf } from "../openapi-schema.ts";
import type { MemberNeeds } from "./member-access.ts";
import { PANEL_API_ROOT } from "./panel-head.ts";

export interface PanelDocumentInput {
  readonly baseUrl: string;
  readonly version: string;
  /** Whom a route answers, by its line in the table; null: guests too. */
  needsOf(name: PanelRouteName): MemberNeeds | null;
  /** Whether it is shown to operators who see the account as its members do. */
  isSeen(name: PanelRouteName): boolean;
}

type Line = PanelRouteTable[keyof PanelRouteTable];

const SCHEMAS: Readonly<Record<string, TSchema>> = { ...PUBLIC_SCHEMAS, ...PANEL_SCHEMAS };
const names = namesOf(SCHEMAS);

const FOR_WHOM: Readonly<Record<MemberNeeds, string>> = {
  unfinished: "For every session, one that is not logged in to the end too.",
  enrolling: "For every member, one who has to set up a second factor first too.",
  developer: "For every member; to developers what is their own.",
  keyholder: "For developers, by keys of their own, managers and owners.",
  viewer: "For every member but developers.",
  manager: "For managers and owners.",
  owner: "For owners.",
  operator: "For operators; to others it is a 404.",
};

const SEEN = " Operators who see the account as its members do may ask, too.";

const ABOUT =
  "What the pages at `/panel` use, below `/panel/api`, for sessions and never for keys. A session begins with `POST /log-in`, whose cookie goes with every request. " +
  "What is not GET is taken only with an `origin` of this server. Refusals are `PanelError`s. It changes with the panel, and keeps no old shape for others.";

export function panelOpenApiDocument({ baseUrl, version, needsOf, isSeen }: PanelDocumentInput) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [subject, table] of Object.entries<PanelRouteTable>(PANEL_SUBJECTS)) {
    for (const [name, line] of Object.entries(table)) {
      const [method = "", template = ""] = name.split(" ");
      const path = template.replace("{+", "{");
      const about = { operationId: operationIdOf(name), tags: [subject] };
      const needs = needsOf(name as PanelRouteName);
      const seen = isSeen(name as PanelRouteName);
      const operation = { ...about, ...operationOf(path, line, { needs, seen }) };
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Tollgate panel API", version, description: ABOUT },
    servers: [{ url: `${baseUrl}${PANEL_API_ROOT}` }],
    tags: Object.keys(PANEL_SUBJECTS).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: baseUrl.startsWith("https:") ? "__Host-tollgate" : "tollgate_session",
        },
      },
      schemas: namedIn(paths),
    },
  };
}

function operationOf(
  path: string,
  line: Line,
  { needs, seen }: { readonly needs: MemberNeeds | null; readonly seen: boolean },
): object {
  const { summary, query, headers = {} } = line;
  const parameters = [
    ...pathParameters(path, line.uuids),
    ...(query === undefined ? [] : describeQuery(query, { names })),
    ...Object.entries(headers).map(([name, { description, required = false }]) => ({
      name,
      in: "header",
      required,
      description,
      schema: { type: "string" },
    })),
  ];
  return {
    summary,
    ...(needs === null ? {} : { description: `${FOR_WHOM[needs]}${seen ? SEEN : ""}` }),
    security: needs === null ? [] : [{ session: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(line),
    responses: {
      ...goodResponse(line),
      default: { description: "It was refused.", content: contentOf(PanelErrorBody) },
    },
  };
}

function pathParameters(path: string, uuids: readonly string[] = []): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", ...(uuids.includes(name) ? { format: "uuid" } : {}) },
  }));
}

function requestBody({ body, rawBody }: Line): object {
  const schema = body ?? rawBody?.schema;
  return schema === undefined
    ? {}
    : { requestBody: { required: true, content: contentOf(schema, rawBody?.type) } };
}

function goodResponse(line: Line): object {
  if ("content" in line) {
    const content = { [line.content]: { schema: { type: "string" } } };
    return { 200: { description: "It follows.", content } };
  }
  const { answer, status = 200, streamed } = line;
  const stream = streamed === undefined ? {} : { [streamed]: { schema: { type: "string" } } };
  const description = status === 202 ? "It was heard." : "It was done.";
  return { [status]: { description, content: { ...contentOf(answer), ...stream } } };
}

function contentOf(schema: TSchema, type = "application/json"): object {
  return { [type]: { schema: describeSchema(schema, { names }) } };
}

/** `POST /keys/{hash}/roll` is `postKeysHashRoll`. */
function operationIdOf(name: string): string {
  const [method = "", ...words] = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  return `${method.toLowerCase()}${words.map(capital).join("")}`;
}

/** The schemas that it refers to, and those that they refer to. */
function namedIn(paths: object): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const gather = (part: unknown): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name in found) continue;
      found[name] = describeSchema(SCHEMAS[name], { own: name, names });
      gather(found[name]);
    }
  };
  gather(paths);
  return found;
}
