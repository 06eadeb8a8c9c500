/** The installation's name, looks and rules, in English. */
import type { OperatorSettingsTexts } from "./operator-settings.ru.ts";

export const operatorSettingsEn: OperatorSettingsTexts = {
  title: "Brand and sign-up",
  lead: "What the service is called and how customers see it. It takes effect at once, on all pages and in mails.",
  changed: (version, by) => `Version ${version}, changed by ${by}`,
  brand: "Brand",
  logo: "Logo",
  logoHint:
    "A PNG, JPEG or WebP of up to 500 kB. One that is more than twice as wide as high is taken to have the name in it.",
  favicon: "Tab icon",
  faviconHint: "A square picture; browsers show it on the tab.",
  pickColour: "Pick a colour",
  tooLarge: "The file is larger than 500 kB. Choose a smaller picture.",
  fields: {
    name: "Name of the service",
    colour: "Colour",
    support: "Support",
    terms: "Terms of service",
    privacy: "Privacy",
    mailSender: "Sender's name of mails",
  },
  hints: {
    name: "In the header, on browser tabs, in mails, and in the app for log-in codes.",
    colour: "One colour, from which all others are made. Contrast does not depend on it.",
    support: "An e-mail or a page. Shown under the log-in, in mails, and to who was blocked.",
    terms: "The page's address, beginning with https://.",
    privacy: "The page's address, beginning with https://.",
    mailSender: "Stands before the address of MAIL_FROM; the address itself is changed there only.",
  },
};
