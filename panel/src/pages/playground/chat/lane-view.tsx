/** One model of a chat: which it is, what was said to it and by it, and what it waits for. */
import type { ReactNode } from "react";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { AnswerView } from "./answer-view.tsx";
import type { Lane, Message, ToolCall, ToolResult } from "./conversation.ts";
import { ResultsForm } from "./results-form.tsx";
import { ResultsView } from "./results-view.tsx";
import "./turns.css";
import { UserMessage } from "./user-message.tsx";
import { useStickToEnd } from "./use-stick-to-end.ts";

interface LaneViewProps {
  /** For screen readers: which model it is. */
  readonly name: string;
  /** Absent: what is above the whole chat says it. */
  readonly head?: ReactNode;
  readonly model: string;
  readonly lane: Lane;
  readonly cutShort: string;
  /** An answer of the chat is coming, here or beside. */
  readonly running: boolean;
  onEdit(turnId: string, message: Message): void;
  onRepeat(runId: string): void;
  onResults(results: readonly ToolResult[]): void;
}

export function LaneView({
  name,
  head,
  model,
  lane,
  cutShort,
  running,
  onEdit,
  onRepeat,
  onResults,
}: LaneViewProps): ReactNode {
  const t = usePlaygroundTexts();
  const { box, onScroll } = useStickToEnd(lane.length);
  const calls = callsOf(lane);
  return (
    <section className="chat-lane" aria-label={name}>
      {head === undefined ? null : <div className="chat-lane-head">{head}</div>}
      {/* By its arrows it is scrolled without a mouse. */}
      <div className="chat-scroll" ref={box} onScroll={onScroll} tabIndex={0}>
        <div className="chat-scrolled">
          {lane.length === 0 ? <EmptyState title={t.emptyTitle} text={t.emptyText} /> : null}
          <ol className="chat-turns">
            {lane.map((turn, at) => (
              <li key={turn.kind === "user" ? turn.id : turn.kind === "answer" ? turn.runId : at}>
                {turn.kind === "user" ? (
                  <UserMessage
                    message={turn}
                    {...(running ? {} : { onEdit: (message: Message) => onEdit(turn.id, message) })}
                  />
                ) : turn.kind === "results" ? (
                  <ResultsView results={turn.results} />
                ) : (
                  <AnswerView
                    turn={turn}
                    named={turn.model === model}
                    cutShort={cutShort}
                    {...(running || at < lane.length - 1
                      ? {}
                      : { onRepeat: () => onRepeat(turn.runId) })}
                  />
                )}
              </li>
            ))}
          </ol>
          {calls.length === 0 ? null : (
            <ResultsForm key={lane.length} calls={calls} onSend={onResults} />
          )}
        </div>
      </div>
    </section>
  );
}

/** Those that the model waits for. */
export function callsOf(lane: Lane): readonly ToolCall[] {
  const last = lane.at(-1);
  return last?.kind === "answer" && last.exchange.state === "done" ? last.answer.calls : [];
}
