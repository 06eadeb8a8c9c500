/** What visitors are shown of the installation's settings. */
import type { Installation } from "../../contract/panel/installation.ts";
import type { Queryable } from "../../db/database.ts";
import { tintOf } from "../../contract/brand-colour.ts";
import { imageUrl } from "./image-url.ts";
import { imageSizes, type ImageSize } from "./images.store.ts";
import { readSettings } from "./read-settings.ts";

export async function readInstallation(q: Queryable): Promise<Installation> {
  const { brand } = await readSettings(q);
  const { name, logo, favicon, colour, support, terms, privacy } = brand;
  const sizes = await imageSizes(
    q,
    [logo, favicon].filter((digest) => digest !== null),
  );
  return {
    name,
    logo: pictureOf(logo, sizes),
    favicon: pictureOf(favicon, sizes),
    tint: colour === null ? null : tintOf(colour),
    support,
    terms,
    privacy,
  };
}

function pictureOf(
  digest: string | null,
  sizes: ReadonlyMap<string, ImageSize>,
): Installation["logo"] {
  const size = digest === null ? undefined : sizes.get(digest);
  return digest === null || size === undefined ? null : { url: imageUrl(digest), ...size };
}
