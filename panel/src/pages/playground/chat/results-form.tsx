/** What the called tools return, typed in by hand and sent back to the model. */
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { ToolCall, ToolResult } from "./conversation.ts";

interface ResultsFormProps {
  readonly calls: readonly ToolCall[];
  onSend(results: readonly ToolResult[]): void;
}

export function ResultsForm({ calls, onSend }: ResultsFormProps): ReactNode {
  const t = usePlaygroundTexts();
  const [texts, setTexts] = useState<readonly string[]>(() => calls.map(() => ""));
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(calls.map(({ id, name }, at) => ({ callId: id, name, text: texts[at] ?? "" })));
      }}
    >
      {calls.map((call, at) => (
        <TextArea
          key={call.id}
          label={t.resultOf(call.name)}
          hint={t.resultHint}
          code
          rows={3}
          value={texts[at] ?? ""}
          onChange={(text) => setTexts(texts.with(at, text))}
        />
      ))}
      <div className="form-actions">
        <Button look="primary" type="submit" icon="send">
          {t.sendResults}
        </Button>
      </div>
    </form>
  );
}
