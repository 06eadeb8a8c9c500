/** What was changed while a form was filled in, beside the button that was pressed. */
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import type { Difference } from "./differences.ts";
import "./meanwhile-note.css";

export function MeanwhileNote({
  differences,
}: {
  readonly differences: readonly Difference[];
}): ReactNode {
  const words = useWords();
  if (differences.length === 0) return null;
  return (
    <div ref={bringIntoSight} className="banner banner-warn meanwhile">
      <p>{words.meanwhile}</p>
      <ul>
        {differences.map(({ label, before, now }) => (
          <li key={label} className="breaks">
            {words.changedFromTo(label, before, now)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function bringIntoSight(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "center" });
}
