/** The system prompt of a chat, and those that the member keeps in this browser. */
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { newId } from "../new-id.ts";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { createPromptStore } from "./prompt-store.ts";
import { useChatTexts } from "./use-chat-texts.ts";
import { useOwner } from "./use-kept-talks.ts";

const TITLE_CHARACTERS = 60;

interface SystemPromptProps {
  readonly value: string;
  onChange(text: string): void;
}

export function SystemPrompt({ value, onChange }: SystemPromptProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const owner = useOwner();
  const store = useMemo(() => createPromptStore(localStorage, owner), [owner]);
  const [prompts, setPrompts] = useState(() => store.list());
  const [refused, setRefused] = useState(false);
  const chosen = prompts.find(({ text }) => text === value);
  const keep = (): void => {
    const kept = store.keep({ id: newId(), text: value });
    setRefused(kept === null);
    if (kept !== null) setPrompts(kept);
  };
  return (
    <div className="form">
      {prompts.length === 0 ? null : (
        <Select
          label={own.prompts}
          value={chosen?.id ?? ""}
          onChange={(id) => onChange(prompts.find((prompt) => prompt.id === id)?.text ?? value)}
          options={[
            { value: "", label: own.choosePrompt },
            ...prompts.map(({ id, text }) => ({
              value: id,
              label: text.trim().slice(0, TITLE_CHARACTERS),
            })),
          ]}
        />
      )}
      <TextArea
        label={t.system}
        optional
        rows={4}
        value={value}
        onChange={onChange}
        error={refused ? own.promptNotKept : undefined}
      />
      {value.trim() === "" ? null : (
        <div className="form-actions">
          {chosen === undefined ? (
            <Button small onClick={keep}>
              {own.keepPrompt}
            </Button>
          ) : (
            <Button small icon="trash" onClick={() => setPrompts(store.remove(chosen.id))}>
              {own.removePrompt}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
