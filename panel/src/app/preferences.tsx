/** The switches of language and theme, small enough for a header. */
import type { ReactNode } from "react";
import { useLocale } from "../i18n/locale.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { THEMES, useTheme } from "./theme.ts";
import { useShell } from "./use-shell.ts";

export function Preferences(): ReactNode {
  const shell = useShell();
  const { language, setLanguage } = useLocale();
  const [theme, setTheme] = useTheme();
  const other = language === "ru" ? "en" : "ru";
  return (
    <>
      <button
        className="button button-ghost button-small"
        type="button"
        lang={other}
        aria-label={other === "en" ? "EN: switch to English" : "RU: перейти на русский"}
        onClick={() => setLanguage(other)}
      >
        {other.toUpperCase()}
      </button>
      <Menu
        label={shell.theme}
        trigger={<Icon name="sun" />}
        items={THEMES.map((one) => ({
          label: shell.themes[one],
          checked: one === theme,
          onSelect: () => setTheme(one),
        }))}
      />
    </>
  );
}
