/**
 * Where the next message is written, with pictures, priced and sent; or the answers that are coming
 * are stopped.
 */
import { useEffect, useRef } from "react";
import type { ReactNode, RefObject } from "react";
import { Button } from "../../../ui/button.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { Message } from "./conversation.ts";
import { isSendKey } from "./is-send-key.ts";
import "./composer.css";
import { ChosenPictures } from "./chosen-pictures.tsx";
import { PictureInput } from "./picture-input.tsx";
import { QuoteRefusals, QuoteWords } from "./quote-view.tsx";
import type { ChatQuote } from "./use-chat-quote.ts";
import { useChatTexts } from "./use-chat-texts.ts";
import { isEmptyDraft } from "./use-drafted-requests.ts";
import { useGivenFiles } from "./use-given-files.ts";
import { usePictures } from "./use-pictures.ts";

interface ComposerProps {
  /** Another one is written to at once. */
  readonly talk: string;
  readonly draft: Message;
  onDraft(update: (before: Message) => Message): void;
  /** Which key pays. */
  readonly payerField: ReactNode;
  readonly quote: ChatQuote;
  readonly running: boolean;
  readonly ready: boolean;
  onSend(): void;
  onStop(): void;
}

export function Composer({
  talk,
  draft,
  onDraft,
  payerField,
  quote,
  running,
  ready,
  onSend,
  onStop,
}: ComposerProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const pictures = usePictures(draft.pictures, (update) =>
    onDraft((before) => ({ ...before, pictures: update(before.pictures) })),
  );
  const form = useFocusedField(talk);
  useGivenFiles(form, pictures.take);
  const sendable = ready && !running && !isEmptyDraft(draft);
  const send = (): void => {
    if (sendable) onSend();
  };
  return (
    <form
      ref={form}
      className="chat-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <QuoteRefusals quote={quote} />
      <div className="chat-box">
        <TextArea
          label={t.message}
          quietLabel
          rows={2}
          placeholder={t.messagePlaceholder}
          value={draft.text}
          onChange={(text) => onDraft((before) => ({ ...before, text }))}
          onKeyDown={(event) => {
            if (!isSendKey(event)) return;
            event.preventDefault();
            send();
          }}
        />
        <ChosenPictures pictures={pictures} />
        <div className="chat-box-foot">
          <PictureInput pictures={pictures} />
          <div className="chat-payer">{payerField}</div>
          <QuoteWords quote={quote} />
          {running ? (
            <Button icon="stop" aria-label={t.stopAnswer} onClick={onStop}>
              <span className="only-wide">{t.stopAnswer}</span>
            </Button>
          ) : null}
          {/* It stays in its place: the second press of a double click must hit nothing else. */}
          <Button
            look="primary"
            type="submit"
            icon="send"
            aria-label={t.send}
            busy={running}
            disabled={!sendable}
          >
            <span className="only-wide">{t.send}</span>
          </Button>
        </div>
      </div>
      <p className="quiet small chat-keys only-wide">{own.keys}</p>
    </form>
  );
}

/**
 * Its field has the cursor when another chat is in hand; not where a finger points, because there
 * the keyboard would cover the chat.
 */
function useFocusedField(talk: string): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const shown = useRef(talk);
  useEffect(() => {
    if (shown.current === talk) return;
    shown.current = talk;
    if (matchMedia("(pointer: fine)").matches) form.current?.querySelector("textarea")?.focus();
  }, [talk]);
  return form;
}
