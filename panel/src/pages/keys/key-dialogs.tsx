/** The windows about one key, of which one at a time is open. */
import type { ReactNode } from "react";
import type { PanelKey, PanelKeyMade } from "../../../../src/contract/panel/panel-key.ts";
import { DeleteKey } from "./delete-key.tsx";
import { EditKey } from "./edit-key.tsx";
import { FreezeKey } from "./freeze-key.tsx";
import { RollKey } from "./roll-key.tsx";

export type KeyDialog = "edit" | "roll" | "freeze" | "delete";

interface KeyDialogsProps {
  readonly of: PanelKey;
  readonly asked: KeyDialog | null;
  onAsk(asked: KeyDialog | null): void;
  /** With the secret of the key that takes this one's place. */
  onRolled(made: PanelKeyMade): void;
}

export function KeyDialogs({ of, asked, onAsk, onRolled }: KeyDialogsProps): ReactNode {
  const dialog = (name: KeyDialog) => ({
    of,
    open: asked === name,
    onOpenChange: (open: boolean) => onAsk(open ? name : null),
  });
  return (
    <>
      <EditKey {...dialog("edit")} />
      <RollKey {...dialog("roll")} onMade={onRolled} />
      <FreezeKey {...dialog("freeze")} />
      <DeleteKey {...dialog("delete")} />
    </>
  );
}

/** What a key's state leaves to be done to it. */
export function mayRoll({ rolledTo, state }: PanelKey): boolean {
  return rolledTo === null && state !== "expired" && state !== "deleted";
}
