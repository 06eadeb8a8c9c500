/** Small line drawings that go beside words; never the only way to tell something. */
import type { ReactNode } from "react";
import { ICON_PATHS } from "./icon-paths.ts";
import type { IconName } from "./icon-paths.ts";

export function Icon({
  name,
  size = 18,
}: {
  readonly name: IconName;
  readonly size?: number;
}): ReactNode {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
