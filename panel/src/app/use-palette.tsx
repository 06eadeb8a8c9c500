/**
 * The command palette of the frame: opened by its keys, by a button or from a menu. What draws it is
 * fetched before it opens, so that without a network the page stays as it is.
 */
import { useCallback, useState } from "react";
import type { ReactNode } from "react";
import { unreachable } from "../api/api-error.ts";
import { fetchPart } from "../ui/fetch-part.ts";
import { useToasts } from "../ui/toast.tsx";
import { usePaletteKey } from "./palette-key.ts";
import type { Palette } from "./palette/palette.tsx";

interface Fetched {
  readonly Palette: typeof Palette;
}

interface OpenablePalette {
  open(): void;
  /** Null while it is closed. */
  readonly palette: ReactNode;
}

const load = (): Promise<Fetched> => fetchPart(() => import("./palette/palette.tsx"));

export function usePalette(): OpenablePalette {
  const toasts = useToasts();
  const [fetched, setFetched] = useState<Fetched | null>(null);
  const open = (): void => {
    load().then(setFetched, () => toasts.failed(unreachable()));
  };
  const close = useCallback(() => setFetched(null), []);
  usePaletteKey(fetched === null ? open : close);
  return {
    open,
    palette: fetched === null ? null : <fetched.Palette onClose={close} />,
  };
}
