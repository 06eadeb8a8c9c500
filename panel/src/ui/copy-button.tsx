/** Copies a text, and says that it did. */
import { useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";

const SAID_FOR_MS = 2000;

interface CopyButtonProps {
  readonly text: string;
  /** For screen readers, where there are several: what is copied. */
  readonly label?: string;
  /** Its drawing only. */
  readonly bare?: boolean;
}

export function CopyButton({ text, label, bare = false }: CopyButtonProps): ReactNode {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  const said = copied ? words.copied : words.copy;
  return (
    <Button
      look="ghost"
      small
      icon={copied ? "check" : "copy"}
      aria-label={label === undefined || copied ? said : `${words.copy}: ${label}`}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setCopied(true);
          setTimeout(() => setCopied(false), SAID_FOR_MS);
        });
      }}
    >
      {bare ? null : said}
    </Button>
  );
}
