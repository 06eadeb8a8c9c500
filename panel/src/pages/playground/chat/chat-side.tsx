/** Beside a chat, when it is asked for: its settings, or the same call as code. */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { useChatTexts } from "./use-chat-texts.ts";

interface ChatSideProps {
  readonly title: string;
  onClose(): void;
  readonly children: ReactNode;
}

export function ChatSide({ title, onClose, children }: ChatSideProps): ReactNode {
  const t = useChatTexts();
  return (
    <aside className="chat-side" aria-label={title}>
      <div className="chat-side-head">
        <h2>{title}</h2>
        <Button small look="ghost" icon="close" aria-label={t.closeSide} onClick={onClose} />
      </div>
      {children}
    </aside>
  );
}
