/** The switches of language and theme, for who is not logged in. */
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { THEMES, useTheme } from "./theme.ts";
import { useShell } from "./use-shell.ts";

export function Preferences(): ReactNode {
  const shell = useShell();
  const [theme, setTheme] = useTheme();
  return (
    <>
      <LanguageSwitch />
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
