/** What a tool returned to the model that called it. */
import type { ReactNode } from "react";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { ToolResult } from "./conversation.ts";

export function ResultsView({ results }: { readonly results: readonly ToolResult[] }): ReactNode {
  const t = usePlaygroundTexts();
  return (
    <article className="chat-turn chat-turn-user" aria-label={t.toolResult}>
      {results.map(({ callId, name, text }) => (
        <div key={callId}>
          <h3 className="small quiet">{t.resultOf(name)}</h3>
          <pre className="chat-said code">{text}</pre>
        </div>
      ))}
    </article>
  );
}
