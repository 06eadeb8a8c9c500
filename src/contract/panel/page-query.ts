/** What lists and filters of the panel take in their queries. */
import Type from "typebox";
import { LANGUAGE, TIMEZONE } from "./member-fields.ts";
import { LIST_PAGE_DEFAULT, LIST_PAGE_MAX } from "../../kernel/limits.ts";

export const PAGE_QUERY = {
  cursor: Type.Optional(Type.String({ description: "`nextCursor` of the page before." })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIST_PAGE_MAX, default: LIST_PAGE_DEFAULT }),
  ),
};

/** For whose spreadsheets a file is, and what it is called. */
export const SPELLING = {
  language: Type.Optional(LANGUAGE),
  timezone: Type.Optional(TIMEZONE),
  fileName: Type.Optional(
    Type.String({
      pattern: "^[a-z0-9][a-z0-9-]{0,79}$",
      description: "Of the file, without its ending.",
    }),
  ),
};

export const uuidQuery = Type.Optional(
  Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" }),
);
export const nameQuery = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }));
