/**
 * The half of the playground for chats: the talks that the browser keeps, one of them with one model
 * or two, the price before and the receipt after.
 */
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import type { PlaygroundHalf } from "../payer.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { ChatBar, type ChatSideName } from "./chat-bar.tsx";
import { ChatCode } from "./chat-code.tsx";
import { DIALECTS } from "./chat-dialect.ts";
import { FIRST_SETTINGS, isSendable } from "./chat-settings.ts";
import { ChatSettingsForm } from "./chat-settings-form.tsx";
import { ChatSide } from "./chat-side.tsx";
import "./chat.css";
import { Composer } from "./composer.tsx";
import { callsOf, LaneView } from "./lane-view.tsx";
import { LaneHead } from "./lane-head.tsx";
import { createPromptStore } from "./prompt-store.ts";
import { TalkList } from "./talk-list.tsx";
import { useAnnouncement } from "./use-announcement.ts";
import { useChatChoices } from "./use-chat-choices.ts";
import { useChatQuote } from "./use-chat-quote.ts";
import { useChatTexts } from "./use-chat-texts.ts";
import { isEmptyDraft, NO_DRAFT, useDraftedRequests } from "./use-drafted-requests.ts";
import { useEscape } from "./use-escape.ts";
import { useKeptTalks, useOwner } from "./use-kept-talks.ts";
import { useOpenedTalk } from "./use-opened-talk.ts";
import { useTalk } from "./use-talk.ts";

interface ChatPlaygroundProps extends Pick<PlaygroundHalf, "payer" | "payerField"> {
  readonly models: readonly PanelModel[];
}

export function ChatPlayground({ models: all, payer, payerField }: ChatPlaygroundProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const owner = useOwner();
  const { protocol, offered, models, compares, talk: wanted, set } = useChatChoices(all);
  const dialect = DIALECTS[protocol];
  const [settings, setSettings] = useState(FIRST_SETTINGS);
  const [draft, setDraft] = useState(NO_DRAFT);
  const [side, setSide] = useState<ChatSideName | null>(null);
  const talk = useTalk({
    protocol,
    models,
    payerHash: payer.hash,
    settings,
    lanes: compares ? 2 : 1,
  });
  const { id, lanes, running } = talk;
  const kept = useKeptTalks(
    useMemo(
      () => ({ id, protocol, models: models.slice(0, lanes.length), settings, lanes }),
      [id, protocol, models, settings, lanes],
    ),
  );
  useOpenedTalk({
    wanted,
    inHand: id,
    read: (sought) => kept.read(sought),
    open(found) {
      const [model = "", second = ""] = found.models;
      kept.opened(found.lanes);
      setSettings(found.settings);
      talk.open({ id: found.id, lanes: found.lanes });
      set({ talk: found.id, protocol: found.protocol, model, with: second, key: payer.hash });
    },
  });
  useEscape(running ? talk.stop : null);
  const requests = useDraftedRequests({ protocol, models, settings, lanes, draft });
  const ready = models[0] !== "" && isSendable(settings);
  const quote = useChatQuote({
    path: dialect.path,
    payerHash: payer.hash,
    requests,
    asks: ready && !running && !isEmptyDraft(draft),
  });
  const announcement = useAnnouncement(lanes);
  const leave = (): void => {
    talk.begin();
    set({ talk: "" });
    setSide(null);
  };
  const begin = (): void => {
    void kept.keepNow();
    leave();
  };
  const headOf = (at: number): ReactNode => (
    <LaneHead
      label={at === 0 ? t.model : own.secondModel}
      models={offered}
      value={models[at] ?? ""}
      onChange={(model) => set({ ...(at === 0 ? { model } : { with: model }), key: payer.hash })}
      {...(lanes.length === 1
        ? {}
        : {
            onLeave: () => {
              talk.leaveLane(at);
              set({ model: models[at === 0 ? 1 : 0], with: "", key: payer.hash });
            },
          })}
    />
  );
  const nameOf = (model: string): string =>
    offered.find((one) => one.id === model)?.displayName ?? model;
  if (models[0] === "") {
    return (
      <div className="stack">
        <div className="playground-choices">{payerField}</div>
        <EmptyState title={t.noModelsTitle} text={t.noModelsText} />
      </div>
    );
  }
  return (
    <div className="chat-room" data-side={side ?? "none"}>
      <TalkList
        heads={kept.heads}
        current={id}
        onBegin={begin}
        onOpen={(head) => {
          set({ talk: head.id });
          setSide(null);
        }}
        onRemove={(gone) => {
          kept.remove(gone);
          // Without keeping what is deleted.
          if (gone === id) leave();
        }}
        onRemoveAll={() => {
          kept.removeAll();
          createPromptStore(localStorage, owner).removeAll();
          leave();
        }}
      />
      <section className="chat-main" aria-label={t.talk}>
        <ChatBar
          title={kept.heads.find((head) => head.id === id)?.title ?? ""}
          side={side}
          onSide={setSide}
          onBegin={begin}
          {...(lanes.length > 1
            ? {}
            : {
                head: headOf(0),
                onCompare: () => {
                  const other = offered.find((model) => model.id !== models[0])?.id ?? models[0];
                  talk.addLane();
                  set({ with: other, model: models[0], key: payer.hash });
                },
              })}
        />
        {kept.keeping === "kept" ? null : (
          <p className="banner banner-warn" role="status">
            {own.notKept[kept.keeping]}
          </p>
        )}
        <div className="chat-lanes" data-lanes={lanes.length}>
          {lanes.map((lane, at) => (
            <LaneView
              // The one that stays keeps its place, whichever is taken away.
              key={at}
              name={(at === 0 ? own.lane : own.secondLane)(nameOf(models[at] ?? ""))}
              lane={lane}
              cutShort={dialect.cutShort}
              running={running}
              model={models[at] ?? ""}
              {...(lanes.length === 1 ? {} : { head: headOf(at) })}
              onEdit={talk.edit}
              onRepeat={(runId) => talk.repeat(at, runId)}
              onResults={(results) => talk.giveBack(at, results)}
            />
          ))}
        </div>
        <p className="unseen" role="status">
          {announcement}
        </p>
        {lanes.some((lane) => callsOf(lane).length > 0) ? null : (
          <Composer
            talk={id}
            draft={draft}
            onDraft={setDraft}
            payerField={payerField}
            quote={quote}
            running={running}
            ready={ready}
            onStop={talk.stop}
            onSend={() => {
              setDraft(NO_DRAFT);
              talk.say(draft);
              if (wanted !== id) set({ talk: id });
            }}
          />
        )}
      </section>
      {side === "settings" ? (
        <ChatSide title={t.settings} onClose={() => setSide(null)}>
          <ChatSettingsForm
            key={id}
            protocol={protocol}
            onProtocol={(next) => set({ protocol: next })}
            settings={settings}
            onChange={setSettings}
          />
        </ChatSide>
      ) : null}
      {side === "code" ? (
        <ChatSide title={t.code} onClose={() => setSide(null)}>
          <ChatCode protocol={protocol} requests={requests} names={models.map(nameOf)} />
        </ChatSide>
      ) : null}
    </div>
  );
}
