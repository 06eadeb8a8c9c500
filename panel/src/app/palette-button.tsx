/** Opens the command palette, and says by which keys it opens too. */
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { PALETTE_KEY } from "./palette-key.ts";
import { useShell } from "./use-shell.ts";

export function PaletteButton({ onPress }: { readonly onPress: () => void }): ReactNode {
  const shell = useShell();
  return (
    <button
      className="palette-button only-wide"
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts={PALETTE_KEY.named}
      onClick={onPress}
    >
      <Icon name="search" size={16} />
      {shell.find}
      <kbd aria-hidden="true">{PALETTE_KEY.shown}</kbd>
    </button>
  );
}
