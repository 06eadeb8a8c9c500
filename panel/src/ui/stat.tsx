/** A figure with its name; several stand in a `<dl className="stats">`. */
import type { ReactNode } from "react";
import { Stepped } from "./stepped.tsx";

interface StatProps {
  readonly label: ReactNode;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

export function Stat({ label, value, note }: StatProps): ReactNode {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd className="stat-value figure">
        {typeof value === "string" ? <Stepped text={value} /> : value}
      </dd>
      {note === undefined ? null : <dd className="stat-note">{note}</dd>}
    </div>
  );
}

/**
 * Names and values below each other: `<Facts items={[["Key", mask]]} />`. A value that is null is
 * left out with its name.
 */
export function Facts({
  items,
}: {
  readonly items: readonly (readonly [name: ReactNode, value: ReactNode])[];
}): ReactNode {
  return (
    <dl className="facts">
      {items.map(([name, value], at) =>
        value === null || value === undefined ? null : (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
