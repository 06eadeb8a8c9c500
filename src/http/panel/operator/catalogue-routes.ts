/** The catalogue for operators: seen, checked, tried on last week's requests, and put in force. */
import { Fault } from "../../../kernel/faults.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import {
  checkCatalogue,
  listCatalogueVersions,
  readCatalogueVersion,
  readPrices,
} from "../../../business/operate/catalogue-pages.ts";
import { applyFromPanel } from "../../../business/operate/apply-from-panel.ts";
import {
  compareWithUpstream,
  upstreamLists,
} from "../../../business/operate/compare-with-upstream.ts";
import { dryRun } from "../../../business/operate/dry-run.ts";
import type { OperatorRouteDeps } from "./operator-route-deps.ts";

export function operatorCatalogueRoutes(deps: OperatorRouteDeps): Route[] {
  const { db, env } = deps;
  const needs = "operator";
  return [
    memberRoute("GET /operator/catalogue", {
      needs,
      handle: async () => ({ json: await readCatalogueVersion(db, null) }),
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
        return { json: await listCatalogueVersions(db, { below, limit }) };
      },
    }),
    memberRoute("GET /operator/catalogue/versions/{version}", {
      needs,
      async handle({ params }) {
        const version = readVersion(params.version);
        if (version === null)
          throw new Fault("not_found", { message: "There is no such version." });
        return { json: await readCatalogueVersion(db, version) };
      },
    }),
    memberRoute("POST /operator/catalogue/check", {
      needs,
      handle: async ({ body }) => ({
        json: await checkCatalogue(db, env, body.source),
      }),
    }),
    memberRoute("POST /operator/catalogue/prices", {
      needs,
      handle: async ({ body }) => ({ json: await readPrices(db, env, body.source) }),
    }),
    memberRoute("GET /operator/catalogue/upstream-lists", {
      needs,
      handle: () => ({ json: upstreamLists(deps) }),
    }),
    memberRoute("POST /operator/catalogue/upstream-list", {
      needs,
      handle: async ({ body }) => ({ json: await compareWithUpstream(deps, body) }),
    }),
    memberRoute("POST /operator/catalogue/apply", {
      needs,
      handle: async ({ member, body }) => ({
        json: await applyFromPanel(db, env, member, body),
      }),
    }),
    memberRoute("POST /operator/catalogue/dry-run", {
      needs,
      handle: async ({ body }) => ({ json: await dryRun(deps, body.source) }),
    }),
  ];
}

/** Null for what is no number of a version. */
function readVersion(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
