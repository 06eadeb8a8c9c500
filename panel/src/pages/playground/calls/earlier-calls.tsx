/** What the same form answered before: to be looked at again, and to be asked again with changes. */
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Thumbnail } from "../../../ui/media-preview.tsx";
import { RelativeTime } from "../../../ui/time.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { CallValues } from "./call-field.ts";
import type { CallKind } from "./call-kind.ts";
import { MadeCallBody } from "./made-call-view.tsx";
import { imagesIn } from "./read-answer.ts";
import type { MadeCall } from "./use-call.ts";

const SHOWN_IMAGES = 3;

interface EarlierCallsProps {
  readonly kind: CallKind;
  readonly calls: readonly MadeCall[];
  /** Fills in what that one was asked with. */
  onAgain(values: CallValues): void;
}

export function EarlierCalls({ kind, calls, onAgain }: EarlierCallsProps): ReactNode {
  const t = usePlaygroundTexts();
  if (calls.length === 0) return null;
  return (
    <Card title={t.earlier}>
      <ul className="call-earlier">
        {calls.map((call) => (
          <li key={call.requestId} className="call-earlier-one">
            <EarlierCall kind={kind} call={call} />
            <Button small icon="again" onClick={() => onAgain(call.values)}>
              {t.withChanges}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Its answer is drawn when it is opened: there may be many, and large ones. */
function EarlierCall({
  kind,
  call,
}: {
  readonly kind: CallKind;
  readonly call: MadeCall;
}): ReactNode {
  const [open, setOpen] = useState(false);
  const images = kind.type === "image" ? imagesIn(call.answer) : [];
  return (
    <details
      className="playground-advanced"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {images.slice(0, SHOWN_IMAGES).map((url) => (
          <Thumbnail key={url} file={{ url, preview: "image" }} />
        ))}{" "}
        <span className="breaks">{wordsOf(call)}</span>{" "}
        <span className="quiet small">
          <RelativeTime iso={call.madeAt} />
        </span>
      </summary>
      {open ? <MadeCallBody kind={kind} made={call} /> : null}
    </details>
  );
}

const MOST_LETTERS = 80;

/** The first thing that was typed in, else the file that was chosen. */
function wordsOf({ values, request: { files } }: MadeCall): string {
  const typed = Object.values(values).find(
    (value): value is string => typeof value === "string" && value.trim() !== "",
  );
  return (typed ?? files[0]?.chosen.file.name ?? "").trim().slice(0, MOST_LETTERS);
}
