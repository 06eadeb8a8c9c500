/**
 * One turn of a talk: what the member said, what a tool returned, or the model's answer with its
 * thoughts, calls, end and cost.
 */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Markdown } from "../../../ui/markdown.tsx";
import { AnswerReceipt } from "../answer-receipt.tsx";
import { CallInspector } from "../call-inspector.tsx";
import { RefusalBanner } from "../refusal-banner.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { Answer, Exchange, Turn } from "./conversation.ts";

interface TurnViewProps {
  readonly turn: Turn;
  /** The word for an answer that reached the most tokens. */
  readonly cutShort: string;
  /** Of the last turn. */
  onRetry?(): void;
}

export function TurnView({ turn, cutShort, onRetry }: TurnViewProps): ReactNode {
  const t = usePlaygroundTexts();
  switch (turn.kind) {
    case "user":
      return (
        <section className="chat-turn chat-turn-user" aria-label={t.you}>
          <h3 className="small quiet">{t.you}</h3>
          {turn.pictures.length === 0 ? null : (
            <div className="chat-pictures">
              {turn.pictures.map(({ name, dataUrl }, at) => (
                <img key={at} className="chat-picture-said" src={dataUrl} alt={name} />
              ))}
            </div>
          )}
          <p className="chat-said">{turn.text}</p>
        </section>
      );
    case "results":
      return (
        <section className="chat-turn chat-turn-user" aria-label={t.toolResult}>
          {turn.results.map(({ callId, name, text }) => (
            <div key={callId}>
              <h3 className="small quiet">{t.resultOf(name)}</h3>
              <pre className="chat-said code">{text}</pre>
            </div>
          ))}
        </section>
      );
    case "answer":
      return (
        <AnswerView
          answer={turn.answer}
          exchange={turn.exchange}
          cutShort={cutShort}
          {...(onRetry === undefined ? {} : { onRetry })}
        />
      );
  }
}

interface AnswerViewProps extends Omit<TurnViewProps, "turn"> {
  readonly answer: Answer;
  readonly exchange: Exchange;
}

function AnswerView({ answer, exchange, cutShort, onRetry }: AnswerViewProps): ReactNode {
  const t = usePlaygroundTexts();
  const { state, error } = exchange;
  const failed = state === "refused" || state === "broken";
  return (
    <section className="chat-turn" aria-label={t.assistant} aria-busy={state === "running"}>
      <h3 className="small quiet">{t.assistant}</h3>
      {answer.thinking === "" ? null : (
        <details className="chat-thoughts" open={state === "running" && answer.text === ""}>
          <summary>{t.thoughts}</summary>
          <p className="chat-said small">{answer.thinking}</p>
        </details>
      )}
      {answer.text === "" ? null : <Markdown text={answer.text} />}
      {answer.calls.map((call, at) => (
        <div key={call.id === "" ? at : call.id} className="chat-call">
          <b className="small">{t.call(call.name)}</b>
          <pre className="chat-said code" aria-label={t.callArguments}>
            {inLines(call.arguments)}
          </pre>
        </div>
      ))}
      {state === "running" && answer.text === "" && answer.calls.length === 0 ? (
        <p className="quiet row" role="status">
          <span className="spinner" aria-hidden="true" /> {t.writing}
        </p>
      ) : null}
      {state === "stopped" ? <p className="quiet small">{t.stopped}</p> : null}
      {answer.finish === cutShort ? <p className="quiet small">{t.cutShort}</p> : null}
      {state === "broken" ? <p className="field-error">{t.broken}</p> : null}
      {failed && error !== null ? <RefusalBanner error={error} /> : null}
      {state === "running" ? null : (
        <div className="chat-foot small">
          {exchange.requestId === null || state === "refused" ? null : (
            <AnswerReceipt requestId={exchange.requestId} />
          )}
          <CallInspector exchange={exchange} />
          {failed && onRetry !== undefined ? (
            <Button small icon="again" onClick={onRetry}>
              {t.retry}
            </Button>
          ) : null}
        </div>
      )}
    </section>
  );
}

function inLines(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
