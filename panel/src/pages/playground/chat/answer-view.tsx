/** A model's answer with its thoughts, calls, end and cost, and what can be done with it. */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Markdown } from "../../../ui/markdown.tsx";
import { AnswerReceipt } from "../answer-receipt.tsx";
import { CallInspector } from "../call-inspector.tsx";
import { RefusalBanner } from "../refusal-banner.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { Answer, AnswerTurn } from "./conversation.ts";
import { useChatTexts } from "./use-chat-texts.ts";

interface AnswerViewProps {
  readonly turn: AnswerTurn;
  /** Which model it is, is said above. */
  readonly named: boolean;
  /** The word for an answer that reached the most tokens. */
  readonly cutShort: string;
  /** Of the last one, and while nothing else is asked. */
  onRepeat?(): void;
}

export function AnswerView({ turn, named, cutShort, onRepeat }: AnswerViewProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const { answer, exchange, model } = turn;
  const { state, error } = exchange;
  const failed = state === "refused" || state === "broken";
  const begun = answer.text !== "" || answer.calls.length > 0;
  return (
    <article className="chat-turn" aria-label={t.assistant} aria-busy={state === "running"}>
      <h3 className={named ? "unseen" : "small quiet"}>{model}</h3>
      {answer.thinking === "" ? null : (
        <details className="chat-thoughts" open={state === "running" && answer.text === ""}>
          <summary>{t.thoughts}</summary>
          <p className="chat-said small">{answer.thinking}</p>
        </details>
      )}
      {answer.text === "" ? null : <Markdown text={answer.text} />}
      <Calls calls={answer.calls} />
      {state === "running" && !begun ? (
        <p className="quiet row">
          <span className="spinner" aria-hidden="true" /> {t.writing}
        </p>
      ) : null}
      {state === "stopped" ? <p className="quiet small">{t.stopped}</p> : null}
      {answer.finish === cutShort ? <p className="quiet small">{t.cutShort}</p> : null}
      {state === "broken" ? <p className="field-error">{t.broken}</p> : null}
      {failed && error !== null ? <RefusalBanner error={error} /> : null}
      {/* Why is not kept. */}
      {state === "refused" && error === null ? (
        <p className="quiet small">{own.notAnswered}</p>
      ) : null}
      {state === "running" ? null : (
        <div className="chat-foot small">
          {exchange.requestId === null || state === "refused" ? null : (
            <AnswerReceipt requestId={exchange.requestId} known={exchange.sent === ""} />
          )}
          <div className="chat-turn-tools">
            {answer.text === "" ? null : (
              <CopyButton text={answer.text} label={own.answerText} bare />
            )}
            {onRepeat === undefined ? null : (
              <Button
                small
                look={failed ? "secondary" : "ghost"}
                icon="again"
                {...(failed ? {} : { "aria-label": own.repeat, title: own.repeat })}
                onClick={onRepeat}
              >
                {failed ? t.retry : null}
              </Button>
            )}
            {exchange.sent === "" ? null : <CallInspector exchange={exchange} />}
          </div>
        </div>
      )}
    </article>
  );
}

function Calls({ calls }: Pick<Answer, "calls">): ReactNode {
  const t = usePlaygroundTexts();
  return calls.map((call, at) => (
    <div key={call.id === "" ? at : call.id} className="chat-call">
      <b className="small">{t.call(call.name)}</b>
      <pre className="chat-said code" aria-label={t.callArguments}>
        {inLines(call.arguments)}
      </pre>
    </div>
  ));
}

function inLines(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
