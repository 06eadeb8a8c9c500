/** Something that was kept as JSON: folded, and as text only. */
import type { ReactNode } from "react";
import "./operator.css";

export function Told({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  if (value === null || value === undefined) return null;
  if (typeof value === "object" && Object.keys(value).length === 0) return null;
  return (
    <details className="operator-told">
      <summary>{label}</summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
