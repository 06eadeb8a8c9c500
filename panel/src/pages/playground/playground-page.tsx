/** The playground: real requests through a key of the account, of every kind that there is a model for. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { usableKeysQuery } from "../../api/usable-keys.ts";
import { useMayUseKeys, useSession } from "../../app/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { CALL_KINDS } from "./calls/call-kinds.ts";
import { CallPlayground } from "./calls/call-playground.tsx";
import { ChatPlayground } from "./chat/chat-playground.tsx";
import { Payer } from "./payer.tsx";
import "./playground.css";
import { TaskPlayground } from "./tasks/task-playground.tsx";
import { usePlaygroundTexts } from "./use-playground-texts.ts";

export function Component(): ReactNode {
  const t = usePlaygroundTexts();
  const maySpend = useMayUseKeys();
  const { account } = useSession();
  const keys = useQuery({ ...usableKeysQuery, enabled: maySpend });
  const models = useQuery(modelsQuery);
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {maySpend ? (
        <Loaded query={keys}>
          {(usable) => (
            <Loaded query={models}>
              {({ data }) => <Playground keys={usable} models={data} />}
            </Loaded>
          )}
        </Loaded>
      ) : (
        <EmptyState title={t.viewerTitle} text={account.blocked ? t.blockedText : t.viewerText} />
      )}
    </>
  );
}

function Playground({
  keys,
  models,
}: {
  readonly keys: readonly PanelKey[];
  readonly models: readonly PanelModel[];
}): ReactNode {
  const t = usePlaygroundTexts();
  const chosen = useFilters({ tab: "chat", key: "", model: "", from: "", ordered: "" });
  const { values, set } = chosen;
  // Who comes with a model and without a key pays by one that may call it, and by the same from
  // then on.
  const able =
    values.model === ""
      ? undefined
      : keys.find(({ models: own }) => own?.includes(values.model) ?? true);
  const payer = keys.find(({ hash }) => hash === values.key) ?? able ?? keys[0];
  const allowed = payer?.models ?? null;
  const may = useMemo(
    () => models.filter(({ id }) => allowed === null || allowed.includes(id)),
    [models, allowed],
  );
  const chats = useMemo(() => may.filter(({ type }) => type === "chat"), [may]);
  if (payer === undefined) {
    return (
      <EmptyState
        title={t.noKeysTitle}
        text={t.noKeysText}
        action={<ButtonLink to="/keys">{t.toKeys}</ButtonLink>}
      />
    );
  }
  const chooseModel = (model: string): void =>
    set({ model, key: payer.hash, from: "", ordered: "" });
  const payerField = <Payer keys={keys} payer={payer} onChange={(key) => set({ key })} />;
  const common = { payer, payerField, modelId: values.model, onModel: chooseModel };
  const tabs = [
    {
      value: "chat",
      label: t.tabs.chat,
      content: <ChatPlayground payer={payer} payerField={payerField} models={chats} />,
    },
    {
      value: "tasks",
      label: t.tabs.tasks,
      content: (
        <TaskPlayground
          {...common}
          models={may.filter(({ form }) => form !== null)}
          from={values.from}
          ordered={values.ordered}
          onOrdered={(ordered) => set({ ordered })}
          onAgain={({ taskId, model }) => {
            set({ model, key: payer.hash, from: taskId, ordered: "" });
            scrollTo({ top: 0 });
          }}
        />
      ),
    },
    // Of what no model is sold there is no tab.
    ...CALL_KINDS.filter((kind) => models.some(({ type }) => type === kind.type)).map((kind) => ({
      value: kind.type,
      label: t.tabs[kind.type],
      content: (
        <CallPlayground
          {...common}
          kind={kind}
          models={may.filter(({ type }) => type === kind.type)}
        />
      ),
    })),
  ];
  return (
    <div className="playground-views">
      <Tabs
        label={t.views}
        value={tabs.find(({ value }) => value === values.tab)?.value ?? "chat"}
        onChange={(tab) => set({ tab, model: "", key: payer.hash, from: "", ordered: "" })}
        tabs={tabs}
      />
    </div>
  );
}
