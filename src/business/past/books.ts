/**
 * The books as they are read: the database, and behind it the files of the months that it does not
 * have any more.
 */
import { type ArchiveFile, openArchiveFile } from "../../archive/archive-file.ts";
import { ENTRY_COLUMNS } from "../../archive/entry-columns.ts";
import type { Queryable } from "../../db/database.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";

export type PastFile = ArchiveFile<typeof ENTRY_COLUMNS>;

/** What statements run on, and what the archive is read from. */
export interface Books extends Queryable {
  /** A file of the archive by its name; throws where it is gone. */
  pastFile(name: string): Promise<PastFile>;
}

export interface OpenBooks extends Books {
  close(): Promise<void>;
}

/** Each keeps the ends of its groups and some pages in memory. */
const FILES_KEPT = 4;

/** The storage is opened when a past month is asked for, not before. */
export function openBooks(db: Queryable, openStorage: () => Promise<ObjectStorage>): OpenBooks {
  let opening: Promise<ObjectStorage> | null = null;
  /** The one that was read last at the end. */
  const files = new Map<string, Promise<PastFile>>();

  function storage(): Promise<ObjectStorage> {
    opening ??= openStorage().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  async function open(name: string): Promise<PastFile> {
    const file = await openArchiveFile(await storage(), name, ENTRY_COLUMNS);
    if (file === null) throw new Error(`the archive has no file ${name}, and the books need it`);
    return file;
  }

  return {
    run: (statement, parameters) => db.run(statement, parameters),
    pastFile(name) {
      const file = files.get(name) ?? open(name);
      files.delete(name);
      files.set(name, file);
      // One that failed is asked for again.
      file.catch(() => files.delete(name));
      for (const oldest of files.keys()) {
        if (files.size <= FILES_KEPT) break;
        files.delete(oldest);
      }
      return file;
    },
    async close() {
      const opened = await opening?.catch(() => null);
      await opened?.close();
    },
  };
}
