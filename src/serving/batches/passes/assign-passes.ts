/** Which lines of a batch go to a batch of which upstream. */
import type { NewLine } from "../../../batches/batch-record.ts";
import type { NewPass } from "../../../batches/passes.store.ts";
import type { Catalogue, Model } from "../../../catalogue/catalogue.ts";

/** Of the upstream that a line is passed to. */
export interface PassRoute {
  readonly upstream: string;
  readonly model: string;
}

/** A line that was checked. */
export interface CheckedLine extends Omit<NewLine, "passNo"> {
  /** Null: the gateway works it off itself. */
  readonly via: PassRoute | null;
}

/** Below what the vendors take. */
const MOST_LINES = 10_000;
const MOST_BYTES = 90 * 1024 * 1024;

/** The first route of the model whose provider has batches. */
export function passRouteOf(model: Model, { upstreams }: Catalogue): PassRoute | null {
  if (model.type === "task") return null;
  const routes = [...model.routes].filter(
    ({ upstream }) => upstreams.get(upstream)?.batches === true,
  );
  const [first] = routes.toSorted((a, b) => a.order - b.order);
  return first === undefined ? null : { upstream: first.upstream, model: first.model };
}

export function assignPasses(lines: readonly CheckedLine[]): {
  readonly lines: readonly NewLine[];
  readonly passes: readonly NewPass[];
} {
  const passes: NewPass[] = [];
  const open = new Map<string, { pass: NewPass; lines: number; bytes: number }>();
  const assigned = lines.map(({ via, ...line }): NewLine => {
    if (via === null || line.refused !== null) return { ...line, passNo: null };
    const name = JSON.stringify([via.upstream, via.model]);
    let found = open.get(name);
    if (
      found === undefined ||
      found.lines === MOST_LINES ||
      found.bytes + line.bytes > MOST_BYTES
    ) {
      const pass = { passNo: passes.length + 1, ...via };
      passes.push(pass);
      found = { pass, lines: 0, bytes: 0 };
      open.set(name, found);
    }
    found.lines += 1;
    found.bytes += line.bytes;
    return { ...line, passNo: found.pass.passNo };
  });
  return { lines: assigned, passes };
}
