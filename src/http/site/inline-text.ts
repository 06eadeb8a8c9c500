/** The little of Markdown that our own texts have: code, links, and what is strong. */
import { markup, type Markup } from "./markup.ts";

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^()\s]+)\)/g;

export interface InlineLook {
  /** Where a link leads; null: its words stand there alone. */
  linkTo(target: string): string | null;
  /** What stands between the marks; as it is where it is absent. */
  plain?(text: string): Markup | readonly (Markup | string)[];
}

export function inlineText(text: string, look: InlineLook): Markup {
  const plain = (part: string): Markup => markup`${look.plain?.(part) ?? part}`;
  const parts: Markup[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    parts.push(plain(text.slice(end, match.index)), marked(match, look));
    end = match.index + match[0].length;
  }
  return markup`${[...parts, plain(text.slice(end))]}`;
}

function marked(match: RegExpExecArray, look: InlineLook): Markup {
  const [, code, strong, label = "", target = ""] = match;
  if (code !== undefined) return markup`<code>${code}</code>`;
  if (strong !== undefined) return markup`<b>${inlineText(strong, look)}</b>`;
  const address = look.linkTo(target);
  const words = inlineText(label, look);
  return address === null ? words : markup`<a href="${address}">${words}</a>`;
}
