/**
 * The text of a model's answer with its headings, lists, tables and code; its HTML is shown as text,
 * its links open apart.
 */
import { isValidElement, memo, useMemo } from "react";
import type { ReactNode } from "react";
import ReactMarkdown from "react-markdown";
import type { Components } from "react-markdown";
import { useWords } from "../i18n/use-words.ts";
import { CodeBlock } from "./code-block.tsx";
import { markdownBlocks } from "./markdown-blocks.ts";
import type { MarkdownTable } from "./markdown-blocks.ts";

export function Markdown({ text }: { readonly text: string }): ReactNode {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  return (
    <div className="markdown">
      {blocks.map((block, at) =>
        block.kind === "text" ? (
          <Part key={at} text={block.text} />
        ) : (
          <Table key={at} table={block} />
        ),
      )}
    </div>
  );
}

const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  // The pages' policy lets no pictures of strangers in.
  img: ({ alt, src }) => (
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noopener noreferrer">
      {alt === undefined || alt === "" ? String(src) : alt}
    </a>
  ),
  pre: ({ children }) => <Code>{children}</Code>,
};

const onlyWeb = (url: string): string | null => (/^https?:\/\//i.test(url) ? url : null);

/** What has come stays as it was drawn while more comes below it. */
const Part = memo(function Part({ text }: { readonly text: string }): ReactNode {
  return (
    <ReactMarkdown urlTransform={onlyWeb} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  );
});

const NO_PARAGRAPHS = ["p"];

function Cell({ text }: { readonly text: string }): ReactNode {
  return (
    <ReactMarkdown
      urlTransform={onlyWeb}
      components={COMPONENTS}
      disallowedElements={NO_PARAGRAPHS}
      unwrapDisallowed
    >
      {text}
    </ReactMarkdown>
  );
}

function Table({ table: { head, sides, rows } }: { readonly table: MarkdownTable }): ReactNode {
  const words = useWords();
  return (
    <div className="markdown-table" tabIndex={0} role="group" aria-label={words.table}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col" data-side={sides[at]}>
                <Cell text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, at) => (
                <td key={at} data-side={sides[at]}>
                  <Cell text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** With a button that copies it. */
function Code({ children }: { readonly children: ReactNode }): ReactNode {
  const words = useWords();
  const inner = isValidElement<{ readonly children?: ReactNode }>(children)
    ? children.props.children
    : undefined;
  return typeof inner === "string" ? (
    <CodeBlock code={inner.replace(/\n$/, "")} label={words.code} />
  ) : (
    <pre>{children}</pre>
  );
}
