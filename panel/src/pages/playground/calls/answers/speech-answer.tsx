/** A sound, to be heard and taken along. */
import type { ReactNode } from "react";
import { useFormats } from "../../../../i18n/locale.tsx";
import { ButtonAnchor } from "../../../../ui/button.tsx";
import { MediaPreview } from "../../../../ui/media-preview.tsx";
import type { AnswerProps } from "../call-kind.ts";
import { useCallsTexts } from "../use-calls-texts.ts";

export function SpeechAnswer({ answer, request }: AnswerProps): ReactNode {
  const t = useCallsTexts();
  const { size } = useFormats();
  if (answer.kind !== "sound") return null;
  const format = String(request.fields["response_format"]);
  return (
    <>
      <MediaPreview file={{ url: answer.url, preview: "audio", name: t.spoken }} />
      <div className="row">
        <ButtonAnchor small icon="download" href={answer.url} download={`speech.${format}`}>
          {t.download}
        </ButtonAnchor>
        <span className="quiet small">
          {answer.type} · {size(answer.bytes)}
        </span>
      </div>
    </>
  );
}
