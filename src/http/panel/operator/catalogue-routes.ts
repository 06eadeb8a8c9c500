/** The catalogue for operators: seen, checked, tried on last week's requests, and put in force. */
import Type from "typebox";
import {
  CatalogueApplyBody,
  CatalogueCheckBody,
  type CatalogueApplied,
  type CatalogueCheck,
  type CatalogueDryRun,
  type CatalogueSource,
  type CatalogueVersionList,
} from "../../../contract/panel/operator-catalogue.ts";
import type { Operator } from "../../../business/operate/operator.ts";
import { Fault } from "../../../kernel/faults.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { PAGE_QUERY } from "./page-query.ts";

export interface OperatorCatalogueUseCases {
  /** `version` null: the one in force. */
  readCatalogue(version: number | null): Promise<CatalogueSource>;
  listVersions(page: {
    readonly below: number | null;
    readonly limit: number;
  }): Promise<CatalogueVersionList>;
  checkCatalogue(source: string): Promise<CatalogueCheck>;
  applyCatalogue(operator: Operator, body: CatalogueApplyBody): Promise<CatalogueApplied>;
  dryRun(source: string): Promise<CatalogueDryRun>;
}

export function operatorCatalogueRoutes(useCases: OperatorCatalogueUseCases): Route[] {
  const path = "/panel/api/operator/catalogue";
  const needs = "operator" as const;
  return [
    memberRoute({
      method: "GET",
      path,
      needs,
      handle: async () => ({ content: { json: await useCases.readCatalogue(null) } }),
    }),
    memberRoute({
      method: "GET",
      path: `${path}/versions`,
      needs,
      query: Type.Object(PAGE_QUERY),
      async handle({ query: { cursor, limit = LIST_PAGE_DEFAULT } }) {
        const below = cursor === undefined ? null : readVersion(cursor);
        if (cursor !== undefined && below === null) {
          throw new Fault("invalid_request", {
            message: "cursor: take it from `nextCursor` of the page before.",
            param: "cursor",
          });
        }
        return { content: { json: await useCases.listVersions({ below, limit }) } };
      },
    }),
    memberRoute({
      method: "GET",
      path: `${path}/versions/{version}`,
      needs,
      async handle({ params }) {
        const version = readVersion(params["version"] ?? "");
        if (version === null)
          throw new Fault("not_found", { message: "There is no such version." });
        return { content: { json: await useCases.readCatalogue(version) } };
      },
    }),
    memberRoute({
      method: "POST",
      path: `${path}/check`,
      needs,
      body: CatalogueCheckBody,
      handle: async ({ body }) => ({
        content: { json: await useCases.checkCatalogue(body.source) },
      }),
    }),
    memberRoute({
      method: "POST",
      path: `${path}/apply`,
      needs,
      body: CatalogueApplyBody,
      handle: async ({ member, body }) => ({
        content: { json: await useCases.applyCatalogue(member, body) },
      }),
    }),
    memberRoute({
      method: "POST",
      path: `${path}/dry-run`,
      needs,
      body: CatalogueCheckBody,
      handle: async ({ body }) => ({ content: { json: await useCases.dryRun(body.source) } }),
    }),
  ];
}

/** Null for what is no number of a version. */
function readVersion(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
