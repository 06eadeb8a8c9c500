/** Opens the place for files that STORAGE_URL names, or a part of it that is kept apart. */
import { join } from "node:path";
import { openLocalStorage } from "./local-storage.ts";
import type { ObjectStorage } from "./object-storage.ts";
import { parseStorageUrl, type StoragePlace } from "./parse-storage-url.ts";

/**
 * `url` is `file:DIR` (the folder is made when it is missing) or
 * `s3://KEY:SECRET@HOST[:PORT]/BUCKET?region=us-east-1[&http=1][&prefix=files/]` with key and
 * secret percent-encoded. Rejects with what there is to mend, never with the secret. Opens no
 * connection: `check` says whether the server answers.
 */
export async function openStorage(url: string): Promise<ObjectStorage> {
  return openPlace(placeOf(url));
}

/** What is neither served nor ever over lies apart: no name of a file leads here. */
export const ARCHIVE_FOLDER = "archive";

/** The same place below a folder, or a prefix, of its own. */
export async function openArchiveStorage(url: string): Promise<ObjectStorage> {
  const place = placeOf(url);
  return openPlace(
    place.kind === "local"
      ? { ...place, folder: join(place.folder, ARCHIVE_FOLDER) }
      : { ...place, prefix: `${place.prefix}${ARCHIVE_FOLDER}/` },
  );
}

function placeOf(url: string): StoragePlace {
  const parsed = parseStorageUrl(url);
  if (!parsed.ok) throw new Error(`STORAGE_URL: ${parsed.message}`);
  return parsed.place;
}

async function openPlace(place: StoragePlace): Promise<ObjectStorage> {
  if (place.kind === "local") return openLocalStorage(place.folder);
  // Half a second of CPU and tens of megabytes, which only those pay who keep their files there.
  const { openS3Storage } = await import("./s3-storage.ts");
  return openS3Storage(place);
}
