/** An id in one piece, to be copied. */
import type { ReactNode } from "react";
import { CopyButton } from "../copy-button.tsx";
import "./operator.css";

export function CopiedId({
  id,
  label,
}: {
  readonly id: string;
  readonly label: string;
}): ReactNode {
  return (
    <span className="operator-id">
      <code>{id}</code> <CopyButton text={id} label={label} bare />
    </span>
  );
}
