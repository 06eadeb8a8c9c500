/** What the installation is called, with its mark: its own, or ours. */
import type { ReactNode } from "react";
import { useInstallation } from "../api/installation.ts";

/** So many times as wide as high, a picture has the name in it. */
const WORDMARK = 2;

export function Brand(): ReactNode {
  const { name, logo } = useInstallation();
  if (logo === null)
    return (
      <span className="brand">
        <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" className="brand-mark" />
          <path d="M8 23V11m16 12V11M8 14h16M12.5 14v9m7-9v9" className="brand-lines" />
        </svg>
        <span className="brand-name">{name}</span>
      </span>
    );
  const says = logo.width >= WORDMARK * logo.height;
  return (
    <span className="brand">
      <img
        className="brand-logo"
        src={logo.url}
        width={logo.width}
        height={logo.height}
        alt={says ? name : ""}
      />
      {says ? null : <span className="brand-name">{name}</span>}
    </span>
  );
}
