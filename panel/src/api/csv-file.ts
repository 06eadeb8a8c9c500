/** A list of the API as a file for spreadsheets. */
import type { PathOf } from "../../../src/contract/panel/routes/panel-api.ts";
import type { QueryFor } from "./route-call.ts";
import { callApi, urlOf } from "./send-api.ts";

export type CsvPath = PathOf<"GET"> & `${string}.csv`;
/** For whose spreadsheets it is, and what it is called. */
type Spelling = Pick<QueryFor<`GET ${CsvPath}`>, "language" | "timezone" | "fileName">;
/** The filters of the list. */
export type CsvFilters<Path extends CsvPath> = Omit<QueryFor<`GET ${Path}`>, keyof Spelling>;

const ENDING = ".csv";

export interface CsvFile {
  readonly url: string;
  /** Throws an ApiError where the list behind it is refused: the session, a filter, the network. */
  check(): Promise<void>;
}

export function csvFile<Path extends CsvPath>(
  path: Path,
  filters: CsvFilters<Path>,
  spelling: Spelling,
): CsvFile {
  return {
    url: urlOf(path, { query: { ...filters, ...spelling } }),
    async check() {
      await callApi("GET", path.slice(0, -ENDING.length), { query: { ...filters, limit: 1 } });
    },
  };
}
