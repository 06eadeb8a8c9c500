/**
 * The half of the playground for chats: settings, the talk, the price before and the receipt after.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CodeTabs } from "../../../ui/code-block.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Select } from "../../../ui/select.tsx";
import { useFilters } from "../../../ui/use-filters.ts";
import type { PlaygroundHalf } from "../payer.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { DIALECTS, SPOKEN_PROTOCOLS } from "./chat-dialect.ts";
import { ChatPrice } from "./chat-price.tsx";
import { FIRST_SETTINGS, isReadable, readTools } from "./chat-settings.ts";
import { ChatSettingsForm } from "./chat-settings-form.tsx";
import { chatSnippets } from "./chat-snippets.ts";
import { Composer } from "./composer.tsx";
import { ResultsForm } from "./results-form.tsx";
import { TurnView } from "./turn-view.tsx";
import { isEmptyDraft, NO_DRAFT, useDraftedRequest } from "./use-drafted-request.ts";
import type { Draft } from "./use-drafted-request.ts";
import { useChat } from "./use-chat.ts";

interface ChatPlaygroundProps extends PlaygroundHalf {
  readonly models: readonly PanelModel[];
}

export function ChatPlayground({
  models,
  modelId,
  onModel,
  payer,
  payerField,
}: ChatPlaygroundProps): ReactNode {
  const t = usePlaygroundTexts();
  const filters = useFilters({ protocol: "openai" });
  const protocol = SPOKEN_PROTOCOLS.find((one) => one === filters.values.protocol) ?? "openai";
  const dialect = DIALECTS[protocol];
  const offered = models.filter(({ endpoints }) => endpoints.includes(dialect.endpoint));
  const model = (offered.find(({ id }) => id === modelId) ?? offered[0])?.id ?? "";
  const [settings, setSettings] = useState(FIRST_SETTINGS);
  const [draft, setDraft] = useState<Draft>(NO_DRAFT);
  const chat = useChat({ protocol, model, payerHash: payer.hash, settings });
  const { turns } = chat;
  const request = useDraftedRequest({ protocol, model, settings, turns, draft });
  const last = turns.at(-1);
  const calls = last?.kind === "answer" && last.exchange.state === "done" ? last.answer.calls : [];
  const ready = model !== "" && readTools(settings.tools).mistake === null && isReadable(settings);
  return (
    <div className="stack">
      <div className="playground-choices">
        {payerField}
        <Select
          label={t.protocol}
          options={SPOKEN_PROTOCOLS.map((one) => ({ value: one, label: DIALECTS[one].name }))}
          value={protocol}
          onChange={(value) => filters.set({ protocol: value })}
        />
        <Select
          label={t.model}
          value={model}
          onChange={onModel}
          options={offered.map(({ id, displayName }) => ({ value: id, label: displayName }))}
        />
      </div>
      {model === "" ? (
        <EmptyState title={t.noModelsTitle} text={t.noModelsText} />
      ) : (
        <div className="playground-columns">
          <Card
            title={t.talk}
            actions={
              turns.length === 0 ? undefined : (
                <Button small look="ghost" icon="again" onClick={() => chat.reset()}>
                  {t.newTalk}
                </Button>
              )
            }
          >
            {turns.length === 0 ? <EmptyState title={t.emptyTitle} text={t.emptyText} /> : null}
            <ol className="chat-turns">
              {turns.map((turn, at) => (
                <li key={at}>
                  <TurnView
                    turn={turn}
                    cutShort={dialect.cutShort}
                    {...(at === turns.length - 1 ? { onRetry: () => chat.retry() } : {})}
                  />
                </li>
              ))}
            </ol>
            {calls.length > 0 ? (
              <ResultsForm
                key={turns.length}
                calls={calls}
                onSend={(results) => chat.say({ kind: "results", results })}
              />
            ) : (
              <Composer
                draft={draft}
                onDraft={setDraft}
                running={chat.running}
                ready={ready}
                onStop={() => chat.stop()}
                onSend={(message) => {
                  setDraft(NO_DRAFT);
                  chat.say({ kind: "user", ...message });
                }}
              />
            )}
            {ready && !chat.running && !isEmptyDraft(draft) ? (
              <ChatPrice path={dialect.path} payerHash={payer.hash} request={request} />
            ) : null}
          </Card>
          <div className="stack">
            <ChatSettingsForm protocol={protocol} settings={settings} onChange={setSettings} />
            <Card title={t.code}>
              <p className="quiet small">{t.codeHint}</p>
              <CodeTabs label={t.code} codes={chatSnippets(protocol, request, location.origin)} />
            </Card>
          </div>
        </div>
      )}
    </div>
  );
}
