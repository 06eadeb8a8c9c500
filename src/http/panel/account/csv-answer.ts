/** A table that is sent as a file, while it is read. */
import { Readable } from "node:stream";
import type { Answer } from "../../route.ts";

/** `name` without its ending. */
export function csvAnswer(name: string, lines: AsyncGenerator<string>): Answer {
  return {
    headers: { "content-disposition": `attachment; filename="tollgate-${name}.csv"`, "x-content-type-options": "nosniff" },
    content: { contentType: "text/csv; charset=utf-8", sizeBytes: null, open: async () => Readable.from(lines, { highWaterMark: 1 }) },
  };
}
