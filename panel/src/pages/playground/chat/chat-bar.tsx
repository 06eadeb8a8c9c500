/** Above a chat: what it is about, and what can be opened beside it. */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { useChatTexts } from "./use-chat-texts.ts";

/** `talks`: only where they have no room of their own. */
export type ChatSideName = "settings" | "code" | "talks";

interface ChatBarProps {
  /** Empty: nothing was said yet. */
  readonly title: string;
  /** Stands for the title, which is for screen readers then. */
  readonly head?: ReactNode;
  readonly side: ChatSideName | null;
  onSide(side: ChatSideName | null): void;
  onBegin(): void;
  /** Absent: there are two already. */
  onCompare?(): void;
}

export function ChatBar({
  title,
  head,
  side,
  onSide,
  onBegin,
  onCompare,
}: ChatBarProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const toggle = (name: ChatSideName) => ({
    "aria-expanded": side === name,
    onClick: () => onSide(side === name ? null : name),
  });
  return (
    <div className="chat-bar">
      <h2 className={head === undefined ? "chat-title" : "unseen"} title={title}>
        {title === "" ? t.newTalk : title}
      </h2>
      {head === undefined ? null : <div className="chat-bar-head">{head}</div>}
      <div className="chat-bar-tools">
        <Button
          className="chat-talks-toggle"
          small
          look="ghost"
          icon="list"
          {...toggle("talks")}
          aria-label={own.showChats}
        />
        <Button
          className="chat-talks-toggle"
          small
          look="ghost"
          icon="plus"
          aria-label={t.newTalk}
          onClick={onBegin}
        />
        {onCompare === undefined ? null : (
          <Button
            small
            look="ghost"
            icon="columns"
            aria-label={own.compare}
            title={own.compareHint}
            onClick={onCompare}
          >
            <span className="only-wide">{own.compare}</span>
          </Button>
        )}
        <Button small look="ghost" icon="sliders" aria-label={t.settings} {...toggle("settings")}>
          <span className="only-wide">{t.settings}</span>
        </Button>
        <Button small look="ghost" icon="code" aria-label={own.code} {...toggle("code")}>
          <span className="only-wide">{own.code}</span>
        </Button>
      </div>
    </div>
  );
}
