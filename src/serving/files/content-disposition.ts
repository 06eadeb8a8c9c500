/**
 * The header that tells a browser whether to show a file or to save it, and under which name (RFC
 * 6266, RFC 8187).
 */
import type { FileRecord } from "../../files/file-record.ts";

const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/g;
const UNESCAPED_RESERVED = /['()*]/g;

/** The name in plain ASCII for old readers, and as it is where that differs. */
export function contentDisposition(file: Pick<FileRecord, "inline" | "fileName">): string {
  const { fileName } = file;
  const kind = file.inline ? "inline" : "attachment";
  const plain = fileName.replaceAll(NOT_PLAIN, "_");
  if (plain === fileName) return `${kind}; filename="${plain}"`;
  const exact = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    UNESCAPED_RESERVED,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
