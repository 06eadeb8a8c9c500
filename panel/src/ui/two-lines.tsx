/** What a row is about, and details below it: a line each, and what is cut off of it at hand. */
import type { ReactNode } from "react";

interface TwoLinesProps {
  readonly children: ReactNode;
  readonly detail: ReactNode;
  /** One more line of them. */
  readonly also?: string | undefined;
  /** The whole of the first line, where it is text. */
  readonly title?: string | undefined;
}

export function TwoLines({ children, detail, also = "", title }: TwoLinesProps): ReactNode {
  return (
    <span className="two-lines">
      <span className="two-lines-name" title={title}>
        {children}
      </span>
      <span className="two-lines-detail">{detail}</span>
      {also === "" ? null : (
        <span className="two-lines-detail" title={also}>
          {also}
        </span>
      )}
    </span>
  );
}
