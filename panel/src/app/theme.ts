/** Light or dark: as the system says, unless this browser's user said otherwise. */
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORED_THEME = "tollgate.theme";
const CHANGED = "tollgate-theme";

function readTheme(): Theme {
  const stored = localStorage.getItem(STORED_THEME);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

/** Puts the choice on the page; to be called before anything is drawn. */
export function applyTheme(): void {
  const theme = readTheme();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((changed) => {
    addEventListener(CHANGED, changed);
    return () => removeEventListener(CHANGED, changed);
  }, readTheme);
  return [
    theme,
    (next) => {
      localStorage.setItem(STORED_THEME, next);
      applyTheme();
      dispatchEvent(new Event(CHANGED));
    },
  ];
}
