/** A word of explanation at a thing that is pointed at or focused. Never the only place where something is said. */
import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

const DELAY_MS = 300;

export function Tooltip({ text, children }: { readonly text: ReactNode; readonly children: ReactElement }): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={DELAY_MS} />
      <Base.Portal>
        <Base.Positioner className="popup-place" sideOffset={6}>
          <Base.Popup className="tooltip">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
