/** The chats that this browser keeps: to be opened, begun and deleted. */
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { TalkHead } from "./stored-talk.ts";
import { useChatTexts } from "./use-chat-texts.ts";

interface TalkListProps {
  readonly heads: readonly TalkHead[];
  /** The one in hand. */
  readonly current: string;
  onBegin(): void;
  onOpen(head: TalkHead): void;
  onRemove(id: string): void;
  onRemoveAll(): void;
}

export function TalkList({
  heads,
  current,
  onBegin,
  onOpen,
  onRemove,
  onRemoveAll,
}: TalkListProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const [leaving, setLeaving] = useState<TalkHead | "all" | null>(null);
  const titleOf = ({ title }: TalkHead): string => (title === "" ? own.untitled : title);
  return (
    <aside className="chat-talks" aria-label={own.chats}>
      <Button icon="plus" onClick={onBegin}>
        {t.newTalk}
      </Button>
      {heads.length === 0 ? <p className="quiet small">{own.noChats}</p> : null}
      <ul className="chat-talk-list">
        {heads.map((head) => (
          <li key={head.id} className="chat-talk">
            <button
              type="button"
              className="chat-talk-open"
              title={titleOf(head)}
              aria-current={head.id === current ? "true" : undefined}
              onClick={() => onOpen(head)}
            >
              {titleOf(head)}
            </button>
            <Button
              small
              look="ghost"
              icon="trash"
              aria-label={own.deleteChat(titleOf(head))}
              onClick={() => setLeaving(head)}
            />
          </li>
        ))}
      </ul>
      <div className="chat-talks-foot">
        <p className="quiet small">{own.keptHere}</p>
        {heads.length === 0 ? null : (
          <Button small look="ghost" icon="trash" onClick={() => setLeaving("all")}>
            {own.deleteAll}
          </Button>
        )}
      </div>
      {leaving === null ? null : (
        <ConfirmDialog
          title={leaving === "all" ? own.deleteAllTitle : own.deleteTitle}
          description={leaving === "all" ? own.deleteAllText : own.deleteText(titleOf(leaving))}
          action={leaving === "all" ? own.deleteAllAction : own.deleteAction}
          open
          onOpenChange={() => setLeaving(null)}
          onConfirm={() => {
            if (leaving === "all") onRemoveAll();
            else onRemove(leaving.id);
            setLeaving(null);
          }}
        />
      )}
    </aside>
  );
}
