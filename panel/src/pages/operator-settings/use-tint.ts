/** Shows the whole page in a colour while it is chosen; afterwards as it is for everybody. */
import { useEffect } from "react";
import { tintOf } from "../../../../src/contract/brand-colour.ts";
import type { Installation } from "../../../../src/contract/panel/installation.ts";
import { useInstallation } from "../../api/installation.ts";

const COLOUR = /^#[0-9a-f]{6}$/i;

/** @param colour as it is typed; what is none yet changes nothing. */
export function useTint(colour: string): void {
  const { tint } = useInstallation();
  useEffect(() => {
    if (colour === "" || COLOUR.test(colour)) paint(colour === "" ? null : tintOf(colour));
    return () => paint(tint);
  }, [colour, tint]);
}

/** Null: as the styles of the page have it. */
function paint(tint: Installation["tint"]): void {
  const { style } = document.documentElement;
  if (tint === null) {
    style.removeProperty("--brand-h");
    style.removeProperty("--brand-c");
    return;
  }
  style.setProperty("--brand-h", String(tint.hue));
  style.setProperty("--brand-c", String(tint.chroma));
}
