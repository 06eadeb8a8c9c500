/** What a call answered, with its receipt and what went over the line. */
import type { ReactNode } from "react";
import { Card } from "../../../ui/card.tsx";
import { AnswerReceipt } from "../answer-receipt.tsx";
import { CallInspector } from "../call-inspector.tsx";
import { ShownPlace } from "../shown-place.tsx";
import type { CallKind } from "./call-kind.ts";
import type { MadeCall } from "./use-call.ts";
import { useCallsTexts } from "./use-calls-texts.ts";

interface MadeCallViewProps {
  readonly kind: CallKind;
  readonly made: MadeCall;
}

export function MadeCallView({ kind, made }: MadeCallViewProps): ReactNode {
  const t = useCallsTexts();
  return (
    <ShownPlace of={made.requestId}>
      <Card title={t.answer}>
        <MadeCallBody kind={kind} made={made} />
      </Card>
    </ShownPlace>
  );
}

export function MadeCallBody({ kind: { Answer }, made }: MadeCallViewProps): ReactNode {
  return (
    <>
      <Answer answer={made.answer} request={made.request} />
      <div className="chat-foot small">
        <AnswerReceipt requestId={made.requestId} />
        <CallInspector exchange={made} />
      </div>
    </>
  );
}
