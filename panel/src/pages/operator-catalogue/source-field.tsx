/** The text of the catalogue to be edited, with the numbers of its lines beside it. */
import { useMemo, useRef } from "react";
import type { ReactNode, Ref } from "react";
import { lineNumbers } from "./line-numbers.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

interface SourceFieldProps {
  readonly value: string;
  onChange(value: string): void;
  readonly ref: Ref<HTMLTextAreaElement>;
}

export function SourceField({ value, onChange, ref }: SourceFieldProps): ReactNode {
  const t = useCatalogueTexts();
  const gutter = useRef<HTMLPreElement>(null);
  const numbers = useMemo(() => lineNumbers(value), [value]);
  return (
    <div className="field">
      <div className="operator-catalogue-editor">
        <pre ref={gutter} className="operator-catalogue-lines" aria-hidden="true">
          {numbers}
        </pre>
        <textarea
          ref={ref}
          aria-label={t.source}
          aria-describedby="operator-catalogue-hint"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          wrap="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onScroll={(event) => {
            if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <p id="operator-catalogue-hint" className="field-hint">
        {t.editorHint}
      </p>
    </div>
  );
}
