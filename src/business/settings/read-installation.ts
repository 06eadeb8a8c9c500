/** What visitors are shown of the installation's settings. */
import type { Installation } from "../../contract/panel/installation.ts";
import type { Settings } from "../../contract/panel/operator-settings.ts";
import type { Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { tintOf } from "../../contract/brand-colour.ts";
import { imageUrl } from "./image-url.ts";
import { imageSizes, type ImageSize } from "./images.store.ts";
import { readSettings } from "./read-settings.ts";

export interface InstallationDeps {
  readonly db: Queryable;
  readonly clock: Pick<Clock, "now">;
  /** Whose passkeys are; null: there can be none here. */
  relyingParty(): { readonly id: string } | null;
}

export async function readInstallation({
  db: q,
  clock,
  relyingParty,
}: InstallationDeps): Promise<Installation> {
  const { brand, signUp, announcement } = await readSettings(q);
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
    passkeys: relyingParty()?.id ?? null,
    announcement: announced(announcement, clock.now()),
    signUp: shownRules(signUp),
  };
}

/** Null: there is none, or its time is over. */
function announced(
  { ru, en, until }: Settings["announcement"],
  now: Date,
): Installation["announcement"] {
  if (until === null || ru === "" || Date.parse(until) <= now.getTime()) return null;
  return { ru, en, until };
}

/** Domains are named where they are the rule. */
export function shownRules({
  mode,
  domains,
  captcha,
  consents,
  trial,
}: Settings["signUp"]): Installation["signUp"] {
  return { mode, domains: mode === "domains" ? domains : [], captcha, consents, trial };
}

function pictureOf(
  digest: string | null,
  sizes: ReadonlyMap<string, ImageSize>,
): Installation["logo"] {
  const size = digest === null ? undefined : sizes.get(digest);
  return digest === null || size === undefined ? null : { url: imageUrl(digest), ...size };
}
