/** What of the installation's settings the command line changes: by option, how it is read and shown. */
import { SIGN_UP_MODES } from "../contract/enums/sign-up-mode.ts";
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

function ofAnnouncement(
  field: keyof Settings["announcement"],
  value: string,
  help: string,
): SettingsOption {
  const nothing = field === "until" ? null : "";
  return {
    value,
    help: `${help}; ${NONE} takes it away`,
    read: (text, before) => ({
      ...before,
      announcement: { ...before.announcement, [field]: text === NONE ? nothing : text },
    }),
    show: ({ announcement }) => announcement[field],
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
  "sign-up": {
    value: SIGN_UP_MODES.join("/"),
    help: "who may open an account; codes are made in the panel",
    read(text, before) {
      const mode = SIGN_UP_MODES.find((known) => known === text);
      return mode === undefined ? null : { ...before, signUp: { ...before.signUp, mode } };
    },
    show: ({ signUp }) => signUp.mode,
  },
  domains: {
    value: "a.com,b.com",
    help: `whose e-mails may sign up, with --sign-up domains; ${NONE} for none`,
    read: (text, before) => ({
      ...before,
      signUp: { ...before.signUp, domains: text === NONE ? [] : text.split(",") },
    }),
    show: ({ signUp }) => signUp.domains.join(","),
  },
  captcha: {
    value: "on/off",
    help: "whether a browser has to compute for about a second before a sign-up",
    read: (text, before) =>
      text === "on" || text === "off"
        ? { ...before, signUp: { ...before.signUp, captcha: text === "on" } }
        : null,
    show: ({ signUp }) => (signUp.captcha ? "on" : "off"),
  },
  trial: {
    value: "RUB",
    help: "credit for who opens an account, once for each mailbox; 0 for none",
    read: (text, before) => ({ ...before, signUp: { ...before.signUp, trial: text } }),
    show: ({ signUp }) => signUp.trial,
  },
  "announce-ru": ofAnnouncement("ru", "TEXT", "what all customers are told, in Russian"),
  "announce-en": ofAnnouncement("en", "TEXT", "the same in English"),
  "announce-until": ofAnnouncement("until", "ISO", "when that ends"),
};
