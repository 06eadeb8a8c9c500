/** One model: its prices, what it takes, and what a call of it would cost. */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Facts } from "../../ui/stat.tsx";
import { ChatCalculator } from "./chat-calculator.tsx";
import { CallPrices } from "./call-prices.tsx";
import { ModelFares } from "./model-fares.tsx";
import { modesOf } from "./model-modes.ts";
import { ChatPrices, TaskPrices } from "./model-prices.tsx";
import "./models.css";
import { TaskCalculator } from "./task-calculator.tsx";
import { TaskParameters } from "./task-parameters.tsx";
import { useModelsTexts } from "./use-models-texts.ts";

export function Component(): ReactNode {
  const t = useModelsTexts();
  const { language } = useLocale();
  const { _splat: id = "" } = useParams({ from: "/inside/models/$" });
  const query = useQuery(modelsQuery);
  const model = query.data?.data.find((one) => one.id === id);
  return (
    <>
      <PageHead
        title={model?.displayName ?? id}
        lead={
          model === undefined ? undefined : (
            <span className="models-lead">
              {model.form?.summary[language]} <ModelModes of={model} />
            </span>
          )
        }
        back={{ to: "/models", label: t.title }}
        actions={
          model === undefined ? null : (
            <ButtonLink
              look="primary"
              icon="play"
              to="/playground"
              search={{ tab: model.type === "task" ? "tasks" : model.type, model: id }}
            >
              {t.tryIt}
            </ButtonLink>
          )
        }
      />
      <Loaded query={query}>
        {() => (model === undefined ? <EmptyState title={t.gone} /> : <Model of={model} />)}
      </Loaded>
    </>
  );
}

/** `текст, картинки → видео`. */
function ModelModes({ of: model }: { readonly of: PanelModel }): ReactNode {
  const t = useModelsTexts();
  const { takes, makes } = modesOf(model);
  if (takes.length + makes.length === 0) return null;
  const words = (modes: typeof takes): ReactNode =>
    modes.map((mode) => <Badge key={mode}>{t.modes[mode]}</Badge>);
  return (
    <span className="models-modes">
      <span className="unseen">{t.takes}</span>
      {words(takes)}
      <span aria-hidden="true">→</span>
      <span className="unseen">{t.makes}</span>
      {words(makes)}
    </span>
  );
}

function Model({ of: model }: { readonly of: PanelModel }): ReactNode {
  const { price, form } = model;
  return (
    <>
      <div className="columns">
        <div className="stack">
          {price.kind === "chat" ? <ChatPrices price={price} /> : null}
          {price.kind === "call" ? <CallPrices price={price} /> : null}
          {price.kind === "task" ? <TaskPrices price={price} form={form} /> : null}
          <About of={model} />
        </div>
        <div className="stack">
          {price.kind === "chat" ? <ChatCalculator price={price} /> : null}
          {price.kind === "task" && form !== null ? (
            <TaskCalculator key={model.id} id={model.id} price={price} form={form} />
          ) : null}
          <ModelFares id={model.id} />
        </div>
      </div>
      {form === null ? null : <TaskParameters form={form} />}
    </>
  );
}

function About({
  of: { id, endpoints, aliases, contextTokens, maxOutputTokens, form },
}: {
  readonly of: PanelModel;
}): ReactNode {
  const t = useModelsTexts();
  const { count, duration } = useFormats();
  const tokens = (figure: number | null): string | null =>
    figure === null ? null : t.tokens(figure, count(figure));
  return (
    <Card title={t.about}>
      <Facts
        items={[
          [
            t.id,
            <span key="i" className="row">
              <code>{id}</code> <CopyButton text={id} label={t.id} bare />
            </span>,
          ],
          [
            t.aliases,
            aliases.length === 0 ? null : (
              <span key="a">
                <code>{aliases.join(", ")}</code>{" "}
                <span className="quiet small">{t.aliasesHint}</span>
              </span>
            ),
          ],
          [
            t.endpoints,
            <code key="e" className="models-paths">
              {endpoints.map((endpoint) => pathOf(endpoint, id)).join("\n")}
            </code>,
          ],
          [t.context, tokens(contextTokens)],
          [t.maxOutput, tokens(maxOutputTokens)],
          [t.deadline, form === null ? null : duration(form.deadlineSeconds * 1000)],
        ]}
      />
    </Card>
  );
}

/** `chat.completions` is served at `/v1/chat/completions`. */
function pathOf(endpoint: string, id: string): string {
  const path = endpoint === "tasks" ? `tasks/${id}` : endpoint.replaceAll(".", "/");
  return `POST /v1/${path}`;
}
