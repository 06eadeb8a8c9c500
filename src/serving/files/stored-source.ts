/**
 * A stored object as the media workers read it: the file on this machine's disk, or ranges of it
 * from wherever it lies.
 */
import { buffer } from "node:stream/consumers";
import type { MediaSource } from "../../media/media-workers.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";

export function storedSource(
  storage: Pick<ObjectStorage, "localPath" | "read">,
  name: string,
  bytes: number,
): MediaSource {
  const path = storage.localPath(name);
  if (path !== null) return { bytes, path };
  return {
    bytes,
    async read(first, last) {
      const range = await storage.read(name, { first, last });
      if (range === null) throw new Error("the object is not there any more");
      return buffer(range);
    },
  };
}
