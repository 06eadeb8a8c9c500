/** A list of the API as a file for spreadsheets. */
import type { PathOf } from "../../../src/contract/panel/routes/panel-api.ts";
import { unreachable } from "./api-error.ts";
import type { QueryFor } from "./route-call.ts";
import { sendApi, urlOf } from "./send-api.ts";

export type CsvPath = PathOf<"GET"> & `${string}.csv`;
/** For whose spreadsheets it is. */
type Spelling = Pick<QueryFor<`GET ${CsvPath}`>, "language" | "timezone">;
/** The filters of the list. */
export type CsvFilters<Path extends CsvPath> = Omit<QueryFor<`GET ${Path}`>, keyof Spelling>;

export interface CsvFile {
  readonly url: string;
  read(): Promise<Blob>;
}

export function csvFile<Path extends CsvPath>(
  path: Path,
  filters: CsvFilters<Path>,
  spelling: Spelling,
): CsvFile {
  const call = { query: { ...filters, ...spelling } };
  return {
    url: urlOf(path, call),
    async read() {
      const response = await sendApi("GET", path, call);
      // Half a table looks like a whole one.
      return response.blob().catch(() => {
        throw unreachable();
      });
    },
  };
}
