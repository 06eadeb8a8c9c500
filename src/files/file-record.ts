/** A stored file as its row tells it. */
import type { FileOrigin } from "../contract/enums/file-origin.ts";
import type { Uuid } from "../kernel/ids.ts";

/**
 * How the bytes came here: a caller sent them, we fetched them from an address that a caller named,
 * or a task made them.
 */

/**
 * What a private file is for: sent as a batch, made by one, or kept behind one (the requests and
 * results of a message batch).
 */
export const FILE_PURPOSES = ["batch", "batch_output", "batch_part"] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];

export interface NewFile {
  readonly fileId: Uuid;
  /** As `newFileName` gives it. */
  readonly name: string;
  readonly accountId: Uuid;
  /** Null where no key stands for it. */
  readonly keyId: Uuid | null;
  readonly origin: FileOrigin;
  /** The process that receives it. */
  readonly ownerId: Uuid;
  /** As `cleanFileName` gives it. */
  readonly fileName: string;
  readonly contentType: string;
  /** Absent: it is public, to everybody who knows its name. */
  readonly purpose?: FilePurpose;
}

export interface FileRecord extends Omit<NewFile, "ownerId" | "purpose"> {
  /** Whether a browser may show it; anything else is only ever downloaded. */
  readonly inline: boolean;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** What measuring it said, as JSON whose shape is the caller's; null: it was not measured. */
  readonly verdict: unknown;
  readonly storedAt: Date;
  readonly expiresAt: Date;
}

export type FileFinding =
  | { readonly state: "stored"; readonly file: FileRecord }
  /** Its time is over, or its owner deleted it. */
  | { readonly state: "gone" }
  /** There never was such a file, or it is gone for so long that its row is gone too. */
  | { readonly state: "missing" };

/** What all bytes of it came to. */
export interface ReceivedBytes {
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly inline: boolean;
  readonly verdict: unknown;
}

export type StoreVerdict =
  | { readonly kind: "stored"; readonly file: FileRecord }
  /** The row is not there any more: the process that received it was taken for dead. */
  | { readonly kind: "lost" }
  /** The account has no room for it; the transaction is to be rolled back. */
  | { readonly kind: "over-quota"; readonly usedBytes: number };
