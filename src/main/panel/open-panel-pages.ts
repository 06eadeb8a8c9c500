/**
 * Composition of the panel's pages: what its build made, and from where they may show pictures and
 * films.
 */
import { join } from "node:path";
import { relyingPartyOf } from "../../business/members/relying-party.ts";
import { findImage } from "../../business/settings/images.store.ts";
import { createLastInstallation } from "../../business/settings/last-installation.ts";
import type { PanelPages } from "../../http/panel/panel-pages.ts";
import { readBuiltPanel } from "../../http/panel/read-built-panel.ts";
import { parseStorageUrl } from "../../storage/parse-storage-url.ts";
import { PROJECT_ROOT } from "../../process/project-root.ts";
import type { Parts } from "../parts.ts";

export function openPanelPages({
  config,
  db,
  clock,
  baseUrl,
  staticUrl,
  onError,
}: Parts): PanelPages {
  const store = storeOrigin(config);
  return {
    built: readBuiltPanel(join(PROJECT_ROOT, "panel", "dist")),
    installation: createLastInstallation({
      db,
      clock,
      relyingParty: () => relyingPartyOf(baseUrl()),
      onError: (error) => onError("the installation's settings could not be read", error),
    }),
    findImage: (digest) => findImage(db, digest),
    mediaOrigins: () => [new URL(staticUrl()).origin, ...(store === null ? [] : [store])],
  };
}

/** Where the answers of the files' addresses lead, when they lead elsewhere. */
function storeOrigin({ storageUrl, storageDelivery }: Parts["config"]): string | null {
  const parsed = parseStorageUrl(storageUrl);
  if (storageDelivery !== "redirect" || !parsed.ok || parsed.place.kind !== "s3") return null;
  const { endpoint, bucket, region } = parsed.place;
  return endpoint ?? `https://${bucket}.s3.${region}.amazonaws.com`;
}
