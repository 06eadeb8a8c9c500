/** The installation as it is before an operator decides anything. */
import type { Settings } from "../../contract/panel/operator-settings.ts";

export const DEFAULT_SETTINGS: Settings = {
  brand: {
    name: "Tollgate",
    logo: null,
    favicon: null,
    colour: null,
    support: null,
    terms: null,
    privacy: null,
    mailSender: null,
  },
  signUp: { mode: "open", domains: [], captcha: false, consents: [], trial: "0" },
  announcement: { ru: "", en: "", until: null },
};
