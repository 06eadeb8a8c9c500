/** A line of an operator's with links in it, written `[words](https://…)`; all else is text. */
import type { ReactNode } from "react";

const LINK = /\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

export function LinkedText({ text }: { readonly text: string }): ReactNode {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const { 0: whole, 1: words = "", 2: href = "", index } of text.matchAll(LINK)) {
    parts.push(
      text.slice(from, index),
      <a key={index} href={href} target="_blank" rel="noreferrer">
        {words}
      </a>,
    );
    from = index + whole.length;
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  );
}
