/** What is wrong with a catalogue, each mistake with the way to its line. */
import type { ReactNode } from "react";
import type { CatalogueCheck } from "../../../../src/contract/panel/operator-catalogue.ts";
import { Card } from "../../ui/card.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

type Mistake = CatalogueCheck["mistakes"][number];

interface MistakesProps {
  readonly mistakes: readonly Mistake[];
  readonly warnings: readonly Mistake[];
  onGo(line: number): void;
}

export function Mistakes({ mistakes, warnings, onGo }: MistakesProps): ReactNode {
  const t = useCatalogueTexts();
  return (
    <>
      {mistakes.length === 0 ? null : (
        <Card title={t.mistakes(mistakes.length)}>
          <MistakeList mistakes={mistakes} onGo={onGo} />
        </Card>
      )}
      {warnings.length === 0 ? null : (
        <Card title={t.warnings}>
          <MistakeList mistakes={warnings} onGo={onGo} />
        </Card>
      )}
    </>
  );
}

function MistakeList({ mistakes, onGo }: Pick<MistakesProps, "mistakes" | "onGo">): ReactNode {
  const t = useCatalogueTexts();
  return (
    <ul className="operator-catalogue-mistakes">
      {mistakes.map(({ path, line, message }) => (
        <li key={`${line} ${path} ${message}`}>
          {line === null ? (
            <span className="quiet">{t.wholeFile}</span>
          ) : (
            <button type="button" className="operator-catalogue-line" onClick={() => onGo(line)}>
              {t.line(String(line))}
            </button>
          )}
          <span>
            {path === "" ? null : <code>{path}</code>} {message}
          </span>
        </li>
      ))}
    </ul>
  );
}
