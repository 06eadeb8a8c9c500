/**
 * What a visitor may know of this installation: how it is called and how it looks. It stands in the
 * page itself as well, so that nothing is drawn twice.
 */
import Type from "typebox";
import { nullableString } from "../nullable.ts";

const Picture = Type.Object({
  url: Type.String({ description: "Below this server, and never another picture." }),
  width: Type.Integer(),
  height: Type.Integer(),
});

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
});
export type Installation = Type.Static<typeof Installation>;
