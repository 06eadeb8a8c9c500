/** Images, large, to be taken along. */
import type { ReactNode } from "react";
import { ButtonAnchor, ButtonLink } from "../../../../ui/button.tsx";
import { MediaPreview } from "../../../../ui/media-preview.tsx";
import type { AnswerProps } from "../call-kind.ts";
import { imagesIn } from "../read-answer.ts";
import { useCallsTexts } from "../use-calls-texts.ts";

export function ImageAnswer({ answer }: AnswerProps): ReactNode {
  const t = useCallsTexts();
  return (
    <div className="results">
      {imagesIn(answer).map((url, at) => (
        <figure key={url} className="result">
          <MediaPreview file={{ url, preview: "image", name: t.imageNumber(at + 1) }} />
          <div className="row">
            <ButtonAnchor small icon="download" href={url} download={nameOf(url, at)}>
              {t.download}
            </ButtonAnchor>
            <ButtonLink small look="ghost" to="/files">
              {t.toFiles}
            </ButtonLink>
          </div>
        </figure>
      ))}
    </div>
  );
}

/** Of one that came as bytes there is none. */
function nameOf(url: string, at: number): string {
  return url.startsWith("data:") ? `image-${at + 1}` : url.slice(url.lastIndexOf("/") + 1);
}
