/** The operations of one page of the reference, in the order of the document. */
import type { ApiDocument, ApiOperation } from "./api-document.ts";
import { groupOf, type ReferenceGroup } from "../reference-groups.ts";

export interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

export function listOperations(
  { paths }: ApiDocument,
  group: ReferenceGroup,
): readonly ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => groupOf(path, tags) === group)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}
