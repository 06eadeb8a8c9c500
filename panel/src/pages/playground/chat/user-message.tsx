/** What the member said to the model, and the way to say it otherwise. */
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { Message } from "./conversation.ts";
import { EditTurn } from "./edit-turn.tsx";
import { useChatTexts } from "./use-chat-texts.ts";

interface UserMessageProps {
  readonly message: Message;
  /** Absent: not now. */
  onEdit?(message: Message): void;
}

export function UserMessage({ message, onEdit }: UserMessageProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const [editing, setEditing] = useState(false);
  return (
    <article className="chat-turn chat-turn-user" aria-label={t.you}>
      <h3 className="unseen">{t.you}</h3>
      {message.pictures.length === 0 ? null : (
        <div className="chat-pictures">
          {message.pictures.map(({ name, dataUrl }, at) => (
            <img key={at} className="chat-picture-said" src={dataUrl} alt={name} />
          ))}
        </div>
      )}
      {editing ? (
        <EditTurn
          message={message}
          onCancel={() => setEditing(false)}
          onSend={(next) => {
            setEditing(false);
            onEdit?.(next);
          }}
        />
      ) : (
        <>
          <p className="chat-said">{message.text}</p>
          {onEdit === undefined ? null : (
            <Button
              className="chat-turn-edit"
              small
              look="ghost"
              icon="pencil"
              aria-label={own.edit}
              title={own.edit}
              onClick={() => setEditing(true)}
            />
          )}
        </>
      )}
    </article>
  );
}
