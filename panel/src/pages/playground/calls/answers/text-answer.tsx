/** A text that was heard or that goes on, to be read and copied; subtitles as they are. */
import type { ReactNode } from "react";
import { CodeBlock } from "../../../../ui/code-block.tsx";
import { CopyButton } from "../../../../ui/copy-button.tsx";
import type { AnswerProps } from "../call-kind.ts";
import { completionsIn, transcriptIn } from "../read-answer.ts";
import { useCallsTexts } from "../use-calls-texts.ts";

const SUBTITLES: readonly unknown[] = ["srt", "vtt"];

export function TranscriptAnswer({ answer, request }: AnswerProps): ReactNode {
  const t = useCallsTexts();
  const text = transcriptIn(answer);
  if (SUBTITLES.includes(request.fields["response_format"]))
    return <CodeBlock code={text} label={t.subtitles} />;
  return <Wording text={text} />;
}

export function CompletionAnswer({ answer, request }: AnswerProps): ReactNode {
  return completionsIn(answer).map((text, at) => (
    <Wording key={at} before={String(request.fields["prompt"])} text={text} />
  ));
}

function Wording({
  before = "",
  text,
}: {
  readonly before?: string;
  readonly text: string;
}): ReactNode {
  const t = useCallsTexts();
  return (
    <div className="call-said">
      <p className="chat-said">
        <span className="quiet">{before}</span>
        {text}
      </p>
      {text === "" ? <p className="quiet">{t.silence}</p> : <CopyButton text={before + text} />}
    </div>
  );
}
