/** A table that is sent as a file, while it is read. */
import { Readable } from "node:stream";
import type { CsvReader } from "../../../business/panel/account/csv-spelling.ts";
import type { Answer } from "../../route.ts";

/** Where nothing is said: in English, with moments as the API tells them. */
export function csvReader({ language = "en", timezone = null }: Partial<CsvReader>): CsvReader {
  return { language, timezone };
}

/** `name` without its ending. */
export function csvAnswer(name: string, lines: AsyncGenerator<string>): Answer {
  return {
    headers: {
      "content-disposition": `attachment; filename="${name}.csv"`,
      "x-content-type-options": "nosniff",
    },
    content: {
      contentType: "text/csv; charset=utf-8",
      sizeBytes: null,
      open: async () => Readable.from(lines, { highWaterMark: 1 }),
    },
  };
}
