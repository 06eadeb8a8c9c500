/** Shows what a query read: a place holder before, the error instead, the data else. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorState } from "./error-state.tsx";
import { Skeleton } from "./skeleton.tsx";

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, "data" | "error" | "refetch">;
  readonly waiting?: ReactNode;
  children(data: Data): ReactNode;
}

export function Loaded<Data>({ query, waiting, children }: LoadedProps<Data>): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return waiting ?? <Skeleton />;
}
