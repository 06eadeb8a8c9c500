/**
 * A word of the gateway's, told in the language of the page, with itself beside it: people search
 * for it.
 */
import type { ReactNode } from "react";

interface NamedProps {
  readonly word: string;
  /** A word that has no name here, because the gateway is newer than the page, stands alone. */
  readonly names: Readonly<Record<string, string>>;
}

export function Named({ word, names }: NamedProps): ReactNode {
  const name = names[word];
  return (
    <>
      {name === undefined ? null : `${name} `}
      <code className="quiet small">{word}</code>
    </>
  );
}
