/** What is wrong with a catalogue, each mistake with the way to its line. */
import type { ReactNode } from "react";
import type { CatalogueMistake } from "../../../../src/contract/catalogue/catalogue-mistake.ts";
import { catalogueSentence } from "../../i18n/catalogue-sentence.ts";
import { useLocale } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

interface MistakesProps {
  readonly mistakes: readonly CatalogueMistake[];
  readonly warnings: readonly CatalogueMistake[];
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
  const { language } = useLocale();
  const worded = mistakes.map((mistake) => ({
    path: mistake.path,
    line: mistake.line,
    sentence: catalogueSentence(language, mistake),
  }));
  return (
    <ul className="operator-catalogue-mistakes">
      {worded.map(({ path, line, sentence }) => (
        <li key={`${line} ${path} ${sentence}`}>
          {line === null ? (
            <span className="quiet">{t.wholeFile}</span>
          ) : (
            <button type="button" className="operator-catalogue-line" onClick={() => onGo(line)}>
              {t.line(String(line))}
            </button>
          )}
          <span>
            {path === "" ? null : <code>{path}</code>} {sentence}
          </span>
        </li>
      ))}
    </ul>
  );
}
