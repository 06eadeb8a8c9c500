/** A table that is sent as a file, while it is read. */
import { Readable } from "node:stream";
import Type, { type TObject, type TProperties } from "typebox";
import { LANGUAGE, TIMEZONE } from "../../../contract/panel/member-fields.ts";
import type { CsvReader } from "../../../business/panel/account/csv-spelling.ts";
import type { Answer } from "../../route.ts";

/** The filters of a list, and for whose spreadsheets the file is. */
export function csvQuery<Properties extends TProperties>({ properties }: TObject<Properties>) {
  return Type.Object({
    ...properties,
    language: Type.Optional(LANGUAGE),
    timezone: Type.Optional(TIMEZONE),
  });
}

/** Where nothing is said: in English, with moments as the API tells them. */
export function csvReader({ language = "en", timezone = null }: Partial<CsvReader>): CsvReader {
  return { language, timezone };
}

/** `name` without its ending. */
export function csvAnswer(name: string, lines: AsyncGenerator<string>): Answer {
  return {
    headers: {
      "content-disposition": `attachment; filename="tollgate-${name}.csv"`,
      "x-content-type-options": "nosniff",
    },
    content: {
      contentType: "text/csv; charset=utf-8",
      sizeBytes: null,
      open: async () => Readable.from(lines, { highWaterMark: 1 }),
    },
  };
}
