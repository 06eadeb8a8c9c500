/**
 * What a visitor may know of this installation: how it is called and how it looks. It stands in the
 * page itself as well, so that nothing is drawn twice.
 */
import Type from "typebox";
import { SIGN_UP_MODES } from "../enums/sign-up-mode.ts";
import { nullableString } from "../nullable.ts";

const Picture = Type.Object({
  url: Type.String({ description: "Below this server, and never another picture." }),
  width: Type.Integer(),
  height: Type.Integer(),
});

/** What is agreed to by a person who signs up, in one wording of it. */
export const Consent = Type.Object({
  consentId: Type.String(),
  version: Type.Integer(),
  required: Type.Boolean({ description: "Who does not agree cannot sign up." }),
  ru: Type.String({ description: "Links are written `[words](https://…)`." }),
  en: Type.String(),
});
export type Consent = Type.Static<typeof Consent>;

/** Where to write or go; null: it is not said. */
const place = (description: string) => nullableString({ description });

/** `GET installation`. */
export const Installation = Type.Object({
  name: Type.String(),
  logo: Type.Union([Picture, Type.Null()]),
  favicon: Type.Union([Picture, Type.Null()]),
  tint: Type.Union(
    [
      Type.Object({
        hue: Type.Number({ description: "Of OKLCH, in degrees: `--brand-h`." }),
        chroma: Type.Number({ description: "Of OKLCH, 0.02 to 0.15: `--brand-c`." }),
      }),
      Type.Null(),
    ],
    { description: "What the palette is made of; null: as it is by default." },
  ),
  support: place("An e-mail or an address of the web."),
  terms: place("An address of the web."),
  privacy: place("An address of the web."),
  passkeys: nullableString({
    description: "The domain that passkeys are of; null: there can be none here.",
  }),
  announcement: Type.Union(
    [Type.Object({ ru: Type.String(), en: Type.String(), until: Type.String() }), Type.Null()],
    { description: "What all customers are told at the moment; null: nothing." },
  ),
  signUp: Type.Object({
    mode: Type.Enum([...SIGN_UP_MODES]),
    domains: Type.Array(Type.String(), { description: "Whose e-mails may sign up; empty: all." }),
    captcha: Type.Boolean({ description: "`sign-up/captcha` is to be solved first." }),
    consents: Type.Array(Consent),
    trial: Type.String({ description: "Credit to try with, roubles; 0: none." }),
  }),
});
export type Installation = Type.Static<typeof Installation>;
