/** What stands where a page is not built yet. */
import type { ReactNode } from "react";
import type { ShellTexts } from "../i18n/texts/shell.ru.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { useShell } from "./use-shell.ts";

export function PlaceOfPage({ name }: { readonly name: keyof ShellTexts["sections"] }): ReactNode {
  const shell = useShell();
  return (
    <>
      <PageHead title={shell.sections[name]} />
      <EmptyState title={shell.comingSoon} />
    </>
  );
}
