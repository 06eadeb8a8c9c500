/** Copies a text, and says that it did, or that the reader has to. */
import { useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";
import { copyText } from "./copy-text.ts";

const SHOWN_FOR_MS = 2000;
const ICONS = { none: "copy", copied: "check", refused: "warning" } as const;
type Outcome = keyof typeof ICONS;

interface CopyButtonProps {
  readonly text: string;
  /** For screen readers, where there are several: what is copied. */
  readonly label?: string;
  /** Its drawing only. */
  readonly bare?: boolean;
}

export function CopyButton({ text, label, bare = false }: CopyButtonProps): ReactNode {
  const words = useWords();
  const [outcome, setOutcome] = useState<Outcome>("none");
  const caption = { none: words.copy, copied: words.copied, refused: words.copyYourself }[outcome];
  return (
    <Button
      look="ghost"
      small
      icon={ICONS[outcome]}
      aria-label={label === undefined || outcome !== "none" ? caption : `${words.copy}: ${label}`}
      onClick={() => {
        void copyText(text).then((copied) => {
          setOutcome(copied ? "copied" : "refused");
          setTimeout(() => setOutcome("none"), SHOWN_FOR_MS);
        });
      }}
    >
      {bare && outcome !== "refused" ? null : caption}
    </Button>
  );
}
