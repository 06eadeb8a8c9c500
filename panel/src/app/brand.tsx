/** The name with its mark. */
import type { ReactNode } from "react";

export function Brand(): ReactNode {
  return (
    <span className="brand">
      <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="brand-mark" />
        <path d="M8 23V11m16 12V11M8 14h16M12.5 14v9m7-9v9" className="brand-lines" />
      </svg>
      Tollgate
    </span>
  );
}
