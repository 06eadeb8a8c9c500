/** The catalogue for operators: seen, checked, tried on last week's requests, and put in force. */
import type {
  CatalogueApplied,
  CatalogueApplyBody,
  CatalogueCheck,
  CatalogueDryRun,
  CatalogueSource,
  CatalogueVersionList,
} from "../../../contract/panel/operator-catalogue.ts";
import type { Operator } from "../../../business/operate/operator.ts";
import { Fault } from "../../../kernel/faults.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";

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
  const needs = "operator";
  return [
    memberRoute("GET /operator/catalogue", {
      needs,
      handle: async () => ({ json: await useCases.readCatalogue(null) }),
    }),
    memberRoute("GET /operator/catalogue/versions", {
      needs,
      async handle({ query: { cursor, limit = LIST_PAGE_DEFAULT } }) {
        const below = cursor === undefined ? null : readVersion(cursor);
        if (cursor !== undefined && below === null) {
          throw new Fault("invalid_request", {
            message: "cursor: take it from `nextCursor` of the page before.",
            param: "cursor",
          });
        }
        return { json: await useCases.listVersions({ below, limit }) };
      },
    }),
    memberRoute("GET /operator/catalogue/versions/{version}", {
      needs,
      async handle({ params }) {
        const version = readVersion(params.version);
        if (version === null)
          throw new Fault("not_found", { message: "There is no such version." });
        return { json: await useCases.readCatalogue(version) };
      },
    }),
    memberRoute("POST /operator/catalogue/check", {
      needs,
      handle: async ({ body }) => ({
        json: await useCases.checkCatalogue(body.source),
      }),
    }),
    memberRoute("POST /operator/catalogue/apply", {
      needs,
      handle: async ({ member, body }) => ({
        json: await useCases.applyCatalogue(member, body),
      }),
    }),
    memberRoute("POST /operator/catalogue/dry-run", {
      needs,
      handle: async ({ body }) => ({ json: await useCases.dryRun(body.source) }),
    }),
  ];
}

/** Null for what is no number of a version. */
function readVersion(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
