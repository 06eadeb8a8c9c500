/** What operators decide about the installation: `operator/settings`, a document with versions. */
import Type, { type TUnsafe } from "typebox";
import { SIGN_UP_MODES } from "../enums/sign-up-mode.ts";
import { nullableString } from "../nullable.ts";
import { Consent } from "./installation.ts";

function nullableText(words: {
  readonly description: string;
  readonly pattern: string;
  readonly maxLength: number;
}): TUnsafe<string | null> {
  return Type.Unsafe({ type: ["string", "null"], ...words });
}

const WEB = 'https?://[^\\s"<>]+';
const webAddress = (description: string): TUnsafe<string | null> =>
  nullableText({ description, pattern: `^${WEB}$`, maxLength: 500 });
const picture = nullableText({
  description: "As `operator/settings/images` called it; null: none.",
  pattern: "^[0-9a-f]{64}$",
  maxLength: 64,
});

const BrandSettings = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 60 }),
  logo: picture,
  favicon: picture,
  colour: nullableText({
    description: "One colour, from which the palette is made; null: as it is by default.",
    pattern: "^#[0-9a-fA-F]{6}$",
    maxLength: 7,
  }),
  support: nullableText({
    description: "An e-mail or an address of the web.",
    pattern: `^(${WEB}|[^\\s@<>"(),:;]+@[^\\s@<>"(),:;]+)$`,
    maxLength: 254,
  }),
  terms: webAddress("Where the terms of service stand."),
  privacy: webAddress("Where it stands what becomes of personal data."),
  mailSender: nullableText({
    description: "What mails are from, beside the address of MAIL_FROM; null: as MAIL_FROM says.",
    pattern: "\\S",
    maxLength: 100,
  }),
});

const consentText = (language: string) =>
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: "\\S",
    description: `In ${language}; links are written \`[words](https://…)\`.`,
  });
const CONSENT = {
  required: Type.Boolean({ description: "Who does not agree cannot sign up." }),
  ru: consentText("Russian"),
  en: consentText("English"),
};
const ConsentWish = Type.Object({
  consentId: nullableText({
    description: "Null: it is new. Another wording of one is a new version of it.",
    pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    maxLength: 36,
  }),
  ...CONSENT,
});
export type ConsentWish = Type.Static<typeof ConsentWish>;

const SIGN_UP = {
  mode: Type.Enum([...SIGN_UP_MODES]),
  domains: Type.Array(Type.String({ maxLength: 253, pattern: "^[^\\s@.]+(\\.[^\\s@.]+)+$" }), {
    maxItems: 100,
    description: "Of e-mails, `example.com`; names below one are others.",
  }),
  captcha: Type.Boolean({ description: "A browser has to compute for about a second." }),
  trial: Type.String({
    pattern: "^\\d{1,6}(\\.\\d{1,2})?$",
    description: "Credit for who opens an account, once for each mailbox. Roubles; 0: none.",
  }),
};

const Announcement = Type.Object({
  ru: Type.String({ maxLength: 500, description: "Links are written `[words](https://…)`." }),
  en: Type.String({ maxLength: 500, description: "Empty, as in Russian: there is none." }),
  until: nullableText({
    description: "When it ends, ISO 8601.",
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2})$",
    maxLength: 40,
  }),
});

const Settings = Type.Object({
  brand: BrandSettings,
  signUp: Type.Object({ ...SIGN_UP, consents: Type.Array(Consent) }),
  announcement: Announcement,
});
export type Settings = Type.Static<typeof Settings>;

const SettingsWish = Type.Object({
  brand: BrandSettings,
  signUp: Type.Object({ ...SIGN_UP, consents: Type.Array(ConsentWish, { maxItems: 10 }) }),
  announcement: Announcement,
});
export type SettingsWish = Type.Static<typeof SettingsWish>;

export const InstallationSettings = Type.Object({
  version: Type.Integer({ description: "0: nothing was ever changed." }),
  changedAt: nullableString({ description: "" }),
  changedBy: nullableString({ description: "" }),
  settings: Settings,
});
export type InstallationSettings = Type.Static<typeof InstallationSettings>;

export const SettingsBody = Type.Object({
  expectedVersion: Type.Integer({ minimum: 0, description: "The one that its author saw." }),
  settings: SettingsWish,
});
export type SettingsBody = Type.Static<typeof SettingsBody>;

/** A picture is written anew before it is kept. */
export const BrandImageBody = Type.Object({
  use: Type.Enum(["logo", "favicon"]),
  data: Type.String({
    minLength: 1,
    maxLength: 700_000,
    pattern: "^[A-Za-z0-9+/]+={0,2}$",
    description: "A PNG, JPEG or WebP in base64.",
  }),
});
export type BrandImageBody = Type.Static<typeof BrandImageBody>;

export const BrandImage = Type.Object({
  picture: Type.String({ description: "What the settings call it." }),
  url: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
});
export type BrandImage = Type.Static<typeof BrandImage>;
