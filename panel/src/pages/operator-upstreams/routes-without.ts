/** Which models would have no route left. */
import type { UpstreamsReport } from "../../../../src/contract/panel/operator-upstreams.ts";

export interface RouteKey {
  readonly upstream: string;
  /** Null: every route to the upstream. */
  readonly upstreamModel: string | null;
}

/** Those that lose their last route by taking this one out, by name. */
export function modelsWithout(
  { routes, upstreams }: Pick<UpstreamsReport, "routes" | "upstreams">,
  taken: RouteKey,
): readonly string[] {
  const outUpstreams = new Set(upstreams.flatMap(({ name, out }) => (out === null ? [] : [name])));
  const isTaken = (route: RouteKey): boolean =>
    route.upstream === taken.upstream &&
    (taken.upstreamModel === null || route.upstreamModel === taken.upstreamModel);
  const inForce = routes.filter((route) => route.inForce);
  const left = new Set(
    inForce
      .filter((route) => route.out === null && !outUpstreams.has(route.upstream) && !isTaken(route))
      .flatMap(({ models }) => models),
  );
  const loses = inForce.filter(isTaken).flatMap(({ models }) => models);
  return [...new Set(loses)].filter((model) => !left.has(model)).toSorted();
}
