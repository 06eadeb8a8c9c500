/**
 * How PostgreSQL values become JavaScript values: never a float for an exact number, never a
 * local-time guess.
 */
import { types, type CustomTypesConfig } from "pg";

const INT8 = types.builtins.INT8;
const DATE = types.builtins.DATE;
const INT8_ARRAY = 1016;

type Parse = (text: string) => unknown;

const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [INT8, (text) => BigInt(text)],
  [
    INT8_ARRAY,
    (text) =>
      text === "{}"
        ? []
        : text
            .slice(1, -1)
            .split(",")
            .map((item) => (item === "NULL" ? null : BigInt(item))),
  ],
  [DATE, (text) => text],
]);

/**
 * int8 → bigint, int8[] → bigint[], date → `YYYY-MM-DD`; the driver's own for the rest:
 * timestamptz → Date, numeric and uuid → string, json and jsonb → parsed value.
 */
export const valueParsers: CustomTypesConfig = {
  getTypeParser: parserOf as CustomTypesConfig["getTypeParser"],
};

function parserOf(oid: number, format: "text" | "binary" = "text"): unknown {
  return (format === "text" ? PARSERS.get(oid) : undefined) ?? types.getTypeParser(oid, format);
}
