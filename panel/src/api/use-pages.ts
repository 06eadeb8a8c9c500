/** Reads a list of the API page by page, by its cursors. */
import { useInfiniteQuery } from "@tanstack/react-query";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { JsonPath, Read, Rest, Target } from "./route-call.ts";
import { callApi } from "./send-api.ts";

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

/** Paths that answer pages. */
type ListPath = {
  [Path in JsonPath<"GET">]: Read<Path> extends { readonly nextCursor: string | null }
    ? Path
    : never;
}[JsonPath<"GET">];
type RowOf<Path extends ListPath> = Read<Path> extends ListPage<infer Row> ? Row : never;

export interface Pages<Row> {
  /** All that was read so far; undefined before the first page. */
  readonly rows: readonly Row[] | undefined;
  /** For `<Loaded>` and for `<DataTable more>`. */
  readonly query: UseInfiniteQueryResult<InfiniteData<ListPage<Row>>>;
}

/** What is invalidated where a list has changed. */
export function pagesKey(path: ListPath): readonly [ListPath] {
  return [path];
}

/** Other filters are another list. */
export function usePages<Path extends ListPath>(
  path: Path,
  ...[target]: Rest<Target<`GET ${Path}`>>
): Pages<RowOf<Path>> {
  const place: { readonly query?: object } = target ?? {};
  const result = useInfiniteQuery({
    queryKey: [...pagesKey(path), "pages", target],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      callApi<ListPage<RowOf<Path>>>("GET", path, {
        ...target,
        query: { ...place.query, cursor },
        signal,
      }),
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
  return { rows: result.data?.pages.flatMap(({ data }) => data), query: result };
}
