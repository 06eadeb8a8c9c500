/** Opens the place for files that STORAGE_URL names. */
import { openLocalStorage } from "./local-storage.ts";
import type { ObjectStorage } from "./object-storage.ts";
import { parseStorageUrl } from "./parse-storage-url.ts";

/**
 * `url` is `file:DIR` (the folder is made when it is missing) or
 * `s3://KEY:SECRET@HOST[:PORT]/BUCKET?region=us-east-1[&http=1][&prefix=files/]` with key and
 * secret percent-encoded. Rejects with what there is to mend, never with the secret. Opens no
 * connection: `check` says whether the server answers.
 */
export async function openStorage(url: string): Promise<ObjectStorage> {
  const parsed = parseStorageUrl(url);
  if (!parsed.ok) throw new Error(`STORAGE_URL: ${parsed.message}`);
  const { place } = parsed;
  if (place.kind === "local") return openLocalStorage(place.folder);
  // Half a second of CPU and tens of megabytes, which only those pay who keep their files there.
  const { openS3Storage } = await import("./s3-storage.ts");
  return openS3Storage(place);
}
