/** Keeps a picture that an operator means for the pages: drawn anew, small, and never as it came. */
import { hash } from "node:crypto";
import type { BrandImage, BrandImageBody } from "../../contract/panel/operator-settings.ts";
import { sayFieldRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { MediaWorkers } from "../../media/media-workers.ts";
import { imageUrl } from "../settings/image-url.ts";
import { putImage, sweepImages } from "../settings/images.store.ts";

/** In pixels, on screens of three per point: a logo is 32 points high and at most 160 wide. */
const BOXES = {
  logo: { width: 480, height: 96 },
  favicon: { width: 96, height: 96 },
} as const;
const MAX_BYTES = 256 * 1024;

/** Throws Fault("invalid_request") for what is no picture, "overloaded". */
export async function keepBrandImage(
  { db, media }: { readonly db: Db; readonly media: Pick<MediaWorkers, "toPng"> },
  { use, data }: BrandImageBody,
): Promise<BrandImage> {
  const sent = Buffer.from(data, "base64");
  const verdict = await media.toPng(
    { bytes: sent.length, read: async (first, last) => sent.subarray(first, last + 1) },
    { ...BOXES[use], maxBytes: MAX_BYTES },
  );
  if (!verdict.ok) {
    const worded = sayFieldRefusal("data", "no_picture");
    throw new Fault("invalid_request", { ...worded, errors: [{ ...worded, code: "rule" }] });
  }
  const bytes = Buffer.from(verdict.bytes);
  const digest = hash("sha256", bytes, "hex");
  const { width, height } = verdict.facts;
  await db.transaction(async (tx) => {
    await sweepImages(tx);
    await putImage(tx, { digest, bytes, width, height });
  });
  return { picture: digest, url: imageUrl(digest), width, height };
}
