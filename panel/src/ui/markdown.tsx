/**
 * The text of a model's answer with its headings, lists and code; its HTML is shown as text, its
 * links open apart.
 */
import type { ReactNode } from "react";
import ReactMarkdown from "react-markdown";

export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="markdown">
      <ReactMarkdown
        urlTransform={(url) => (/^https?:\/\//i.test(url) ? url : null)}
        components={{
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {children}
            </a>
          ),
          // The pages' policy lets no pictures of strangers in.
          img: ({ alt, src }) => (
            <a
              href={typeof src === "string" ? src : undefined}
              target="_blank"
              rel="noopener noreferrer"
            >
              {alt === undefined || alt === "" ? String(src) : alt}
            </a>
          ),
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
