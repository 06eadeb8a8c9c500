/** What operators decide about the installation: `operator/settings`, a document with versions. */
import Type, { type TUnsafe } from "typebox";
import { nullableString } from "../nullable.ts";

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

const Settings = Type.Object({ brand: BrandSettings });
export type Settings = Type.Static<typeof Settings>;

export const InstallationSettings = Type.Object({
  version: Type.Integer({ description: "0: nothing was ever changed." }),
  changedAt: nullableString({ description: "" }),
  changedBy: nullableString({ description: "" }),
  settings: Settings,
});
export type InstallationSettings = Type.Static<typeof InstallationSettings>;

export const SettingsBody = Type.Object({
  expectedVersion: Type.Integer({ minimum: 0, description: "The one that its author saw." }),
  settings: Settings,
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
