/** What visitors are shown before an operator decides anything. */
import type { Installation } from "../../contract/panel/installation.ts";
import { DEFAULT_SETTINGS } from "./default-settings.ts";
import { shownRules } from "./read-installation.ts";

const { name, support, terms, privacy } = DEFAULT_SETTINGS.brand;

export const DEFAULT_INSTALLATION: Installation = {
  name,
  logo: null,
  favicon: null,
  tint: null,
  support,
  terms,
  privacy,
  passkeys: null,
  announcement: null,
  signUp: shownRules(DEFAULT_SETTINGS.signUp),
};
