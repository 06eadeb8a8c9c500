/** To the other of the two languages, in its own words. */
import type { ReactNode } from "react";
import { useLocale } from "../i18n/locale.tsx";

export function LanguageSwitch(): ReactNode {
  const { language, setLanguage } = useLocale();
  const other = language === "ru" ? "en" : "ru";
  return (
    <button
      className="button button-ghost button-small"
      type="button"
      lang={other}
      aria-label={other === "en" ? "EN: switch to English" : "RU: перейти на русский"}
      onClick={() => setLanguage(other)}
    >
      {other.toUpperCase()}
    </button>
  );
}
