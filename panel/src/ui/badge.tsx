/** A word or two on a coloured ground. */
import type { ReactNode } from "react";

export type Tone = "neutral" | "good" | "warn" | "bad" | "live";

export function Badge({
  tone = "neutral",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}): ReactNode {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
