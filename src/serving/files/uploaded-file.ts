/** What the API says of a stored file. */
import type { FileOrigin } from "../../contract/enums/file-origin.ts";
import type { FileRecord } from "../../files/file-record.ts";
import type { MediaFacts, ProbeVerdict } from "../../media/media-facts.ts";

export interface UploadedFile {
  readonly url: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
  /** In pixels; absent where there is none to measure. */
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
}

/** A file in a list. */
export interface ListedFile extends UploadedFile {
  /** The last part of the URL. */
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly storedAt: string;
  /** `fetched`: we copied it from an address in a task's parameters. `result`: a task made it. */
  readonly origin: FileOrigin;
}

/**
 * What measuring a stored file said; null: it was not measured. The column holds what the media
 * workers gave, and nothing else writes it.
 */
export function verdictOf(file: Pick<FileRecord, "verdict">): ProbeVerdict | null {
  return file.verdict as ProbeVerdict | null;
}

export function uploadedFile(file: FileRecord, staticUrl: string): UploadedFile {
  const { name, fileName, contentType, bytes, sha256, expiresAt } = file;
  const verdict = verdictOf(file);
  const measured = verdict?.ok === true ? measuredParts(verdict.facts) : {};
  return {
    url: `${staticUrl}/${name}`,
    fileName,
    contentType,
    bytes,
    sha256,
    expiresAt: expiresAt.toISOString(),
    ...measured,
  };
}

export function listedFile(file: FileRecord, staticUrl: string): ListedFile {
  return {
    name: file.name,
    ...uploadedFile(file, staticUrl),
    storedAt: file.storedAt.toISOString(),
    origin: file.origin,
  };
}

function measuredParts(
  facts: MediaFacts,
): Pick<UploadedFile, "width" | "height" | "durationSeconds"> {
  switch (facts.kind) {
    case "image":
      return { width: facts.width, height: facts.height };
    case "video":
      return { width: facts.width, height: facts.height, durationSeconds: facts.durationSeconds };
    case "audio":
      return { durationSeconds: facts.durationSeconds };
  }
}
