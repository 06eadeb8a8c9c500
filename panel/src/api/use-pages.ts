/** Reads a list of the API page by page, by its cursors. */
import { useInfiniteQuery } from "@tanstack/react-query";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { readApi } from "./call-api.ts";
import type { Query } from "./call-api.ts";

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

export interface Pages<Row> {
  /** All that was read so far; undefined before the first page. */
  readonly rows: readonly Row[] | undefined;
  /** For `<Loaded>` and for `<DataTable more>`. */
  readonly query: UseInfiniteQueryResult<InfiniteData<ListPage<Row>>>;
}

/** @param path below /panel/api: `/requests`. Other filters are another list. */
export function usePages<Row>(path: string, query: Query = {}): Pages<Row> {
  const result = useInfiniteQuery({
    queryKey: [path, "pages", query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      readApi<ListPage<Row>>(path, { query: { ...query, cursor: pageParam }, signal }),
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
  return { rows: result.data?.pages.flatMap(({ data }) => data), query: result };
}
