/** The pictures that the installation's settings name (schema `installation`), by their digest. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const PUT = statement({
  text: `INSERT INTO installation.images (digest, bytes, width, height) VALUES ($1, $2, $3, $4)
     ON CONFLICT (digest) DO UPDATE SET made_at = clock_timestamp()`,
  parameters: [sql.text, sql.bytea, sql.int4, sql.int4],
});

export async function putImage(
  tx: Queryable,
  image: ImageSize & { readonly digest: string; readonly bytes: Buffer },
): Promise<void> {
  await tx.run(PUT, [image.digest, image.bytes, image.width, image.height]);
}

const FIND = statement({
  text: "SELECT bytes FROM installation.images WHERE digest = $1",
  parameters: [sql.text],
  row: { bytes: sql.bytea },
});

export async function findImage(q: Queryable, digest: string): Promise<Buffer | null> {
  const [row] = await q.run(FIND, [digest]);
  return row?.bytes ?? null;
}

const SIZES = statement({
  text: "SELECT digest, width, height FROM installation.images WHERE digest = ANY($1)",
  parameters: [sql.array(sql.text)],
  row: { digest: sql.text, width: sql.int4, height: sql.int4 },
});

/** By digest; what is not there is not in it. */
export async function imageSizes(
  q: Queryable,
  digests: readonly string[],
): Promise<ReadonlyMap<string, ImageSize>> {
  if (digests.length === 0) return new Map();
  const rows = await q.run(SIZES, [digests]);
  return new Map(rows.map(({ digest, ...size }) => [digest, size]));
}

const SWEEP = statement({
  text: `DELETE FROM installation.images i WHERE i.made_at < clock_timestamp() - interval '1 day'
     AND NOT EXISTS (SELECT FROM installation.settings s
       WHERE i.digest IN (s.settings -> 'brand' ->> 'logo', s.settings -> 'brand' ->> 'favicon'))`,
});

/** Forgets those that were uploaded a day ago and that no version of the settings names. */
export async function sweepImages(tx: Queryable): Promise<void> {
  await tx.run(SWEEP, []);
}
