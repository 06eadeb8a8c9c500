/** What was said, to be said otherwise: the chat goes on from there. */
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../../../i18n/use-words.ts";
import { Button } from "../../../ui/button.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import type { Message } from "./conversation.ts";
import { isSendKey } from "./is-send-key.ts";
import { useChatTexts } from "./use-chat-texts.ts";
import { isEmptyDraft } from "./use-drafted-requests.ts";

interface EditTurnProps {
  /** Its pictures stay. */
  readonly message: Message;
  onSend(message: Message): void;
  onCancel(): void;
}

export function EditTurn({ message, onSend, onCancel }: EditTurnProps): ReactNode {
  const t = useChatTexts();
  const words = useWords();
  const [text, setText] = useState(message.text);
  const form = useRef<HTMLFormElement>(null);
  // It is larger than what it stands for, and may begin below what is in sight.
  useEffect(() => {
    form.current?.querySelector("textarea")?.focus();
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const next = { text, pictures: message.pictures };
  const send = (): void => {
    if (!isEmptyDraft(next)) onSend(next);
  };
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        label={t.editText}
        hint={t.editWarns}
        rows={3}
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          if (!isSendKey(event)) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="form-actions">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button look="primary" type="submit" icon="send" disabled={isEmptyDraft(next)}>
          {t.sendEdited}
        </Button>
      </div>
    </form>
  );
}
