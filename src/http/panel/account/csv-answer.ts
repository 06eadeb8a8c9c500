/** A table that is sent as a file, while it is read. */
import { Readable } from "node:stream";
import Type, { type TObject, type TProperties } from "typebox";
import { LANGUAGE } from "../../../contract/panel/member-fields.ts";
import type { Answer } from "../../route.ts";

/** The filters of a list, and for whose spreadsheets the file is: `en`, where nothing is said. */
export function csvQuery<Properties extends TProperties>({ properties }: TObject<Properties>) {
  return Type.Object({ ...properties, language: Type.Optional(LANGUAGE) });
}

/** `name` without its ending. */
export function csvAnswer(name: string, lines: AsyncGenerator<string>): Answer {
  return {
    headers: { "content-disposition": `attachment; filename="tollgate-${name}.csv"`, "x-content-type-options": "nosniff" },
    content: { contentType: "text/csv; charset=utf-8", sizeBytes: null, open: async () => Readable.from(lines, { highWaterMark: 1 }) },
  };
}
