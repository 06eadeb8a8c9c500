/** What of the installation's settings the command line changes: by option, how it is read and shown. */
import type { Settings } from "../contract/panel/operator-settings.ts";

interface SettingsOption {
  readonly value: string;
  readonly help: string;
  /** Null: this is no such value. */
  read(text: string, before: Settings): Settings | null;
  show(settings: Settings): string | null;
}

/** What takes a value away. */
const NONE = "none";

function ofBrand(
  field: Exclude<keyof Settings["brand"], "name" | "logo" | "favicon">,
  value: string,
  help: string,
): SettingsOption {
  return {
    value,
    help: `${help}; ${NONE} takes it away`,
    read: (text, before) => ({
      ...before,
      brand: { ...before.brand, [field]: text === NONE ? null : text },
    }),
    show: ({ brand }) => brand[field],
  };
}

export const SETTINGS_OPTIONS: Readonly<Record<string, SettingsOption>> = {
  name: {
    value: "NAME",
    help: "what the service is called",
    read: (text, before) => ({ ...before, brand: { ...before.brand, name: text } }),
    show: ({ brand }) => brand.name,
  },
  colour: ofBrand("colour", "#RRGGBB", "one colour, from which all others are made"),
  support: ofBrand("support", "PLACE", "an e-mail or a web address for those who need help"),
  terms: ofBrand("terms", "URL", "where the terms of service stand"),
  privacy: ofBrand("privacy", "URL", "where it stands what becomes of personal data"),
  "mail-sender": ofBrand(
    "mailSender",
    "NAME",
    "what mails are from, beside the address of MAIL_FROM",
  ),
};
