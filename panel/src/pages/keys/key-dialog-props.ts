/** What each of the windows about a key is given. */
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";

export interface KeyDialogProps {
  readonly of: PanelKey;
  readonly open: boolean;
  onOpenChange(open: boolean): void;
}
