/** How something stands: a word, with a dot of its colour before it. */
import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";

export function Status({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
}): ReactNode {
  return <span className={`status status-${tone}`}>{children}</span>;
}
