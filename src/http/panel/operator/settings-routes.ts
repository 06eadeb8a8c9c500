/** The installation's name, looks and rules: what operators see of them and change. */
import { changeSettingsFromPanel } from "../../../business/operate/change-settings.ts";
import { keepBrandImage } from "../../../business/operate/keep-brand-image.ts";
import {
  createSignUpCode,
  signUpCodes,
  takeBackSignUpCode,
} from "../../../business/operate/sign-up-codes.ts";
import { settingsView } from "../../../business/settings/read-settings.ts";
import { newestSettings } from "../../../business/settings/settings.store.ts";
import {
  changeOperatorAlert,
  listOperatorAlerts,
} from "../../../business/watch/change-operator-alert.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import type { OperatorRouteDeps } from "./operator-route-deps.ts";

export function operatorSettingsRoutes({ db, media, hashToken }: OperatorRouteDeps): Route[] {
  const needs = "operator";
  return [
    memberRoute("GET /operator/settings", {
      needs,
      handle: async () => ({ json: settingsView(await newestSettings(db)) }),
    }),
    memberRoute("POST /operator/settings", {
      needs,
      handle: async ({ member, body }) => ({
        json: await changeSettingsFromPanel(db, member, body),
      }),
    }),
    memberRoute("POST /operator/settings/images", {
      needs,
      handle: async ({ body }) => ({ json: await keepBrandImage({ db, media }, body) }),
    }),
    memberRoute("GET /operator/alerts", {
      needs,
      handle: async () => ({ json: { data: await listOperatorAlerts(db) } }),
    }),
    memberRoute("POST /operator/alerts", {
      needs,
      handle: async ({ member, body }) => ({
        json: await changeOperatorAlert(db, member, body),
      }),
    }),
    memberRoute("GET /operator/sign-up-codes", {
      needs,
      handle: async () => ({ json: await signUpCodes(db) }),
    }),
    memberRoute("POST /operator/sign-up-codes", {
      needs,
      handle: async ({ member, body }) => ({
        json: await createSignUpCode({ db, hashToken }, member, body),
      }),
    }),
    memberRoute("POST /operator/sign-up-codes/{id}/withdraw", {
      needs,
      async handle({ member, params }) {
        await takeBackSignUpCode(db, member, params.id);
        return { json: {} };
      },
    }),
  ];
}
