/**
 * The form of one task model, drawn from its table, with its live price, its order, and the same
 * call as code.
 */
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../../src/contract/panel/panel-key.ts";
import type {
  PanelTaskField,
  PanelTaskForm,
} from "../../../../../src/contract/panel/panel-model.ts";
import { useLocale } from "../../../i18n/locale.tsx";
import { mistakeSentence } from "../../../i18n/mistake-sentence.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CodeTabs } from "../../../ui/code-block.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { isFolded, OptionalPart } from "./optional-part.tsx";
import { OrderedTask } from "./ordered-task.tsx";
import { TaskField } from "./task-field.tsx";
import { TaskFormProvider } from "./task-form-context.ts";
import { TaskPrice } from "./task-price.tsx";
import type { TaskModel } from "./task-model.ts";
import { taskSnippets } from "./task-snippets.ts";
import { useTaskOrder } from "./use-task-order.ts";
import { withField } from "./with-field.ts";

type Values = Readonly<Record<string, unknown>>;

/** Where the examples of the tables say that their files are. */
const EXAMPLE_HOST = "https://files.example.com/";

interface TaskFormProps {
  readonly model: TaskModel;
  readonly payer: PanelKey;
  readonly first: Values;
  readonly ordered: string;
  onOrdered(taskId: string): void;
}

export function TaskForm({ model, payer, first, ordered, onOrdered }: TaskFormProps): ReactNode {
  const { id, form } = model;
  const t = usePlaygroundTexts();
  const { language } = useLocale();
  const [values, setValues] = useState(first);
  // Another set of values is another form: numbers keep what was typed, so they are drawn anew.
  const [filled, setFilled] = useState(0);
  const input = useMemo(() => inFormOrder(form, values), [form, values]);
  const order = useTaskOrder({ model, payerHash: payer.hash, input, onOrdered });
  const fill = (next: Values): void => {
    setValues(next);
    setFilled(filled + 1);
  };
  const draw = (field: PanelTaskField): ReactNode => (
    <TaskField
      key={field.name}
      field={field}
      path={field.name}
      value={values[field.name]}
      onChange={(value) => setValues((before) => withField(before, field.name, value))}
    />
  );
  const folded = form.fields.filter(isFolded);
  const advanced = form.fields.filter((field) => field.advanced);
  const elsewhere = order.mistakesBeside(form.fields.map(({ name }) => name));
  return (
    <div className="playground-columns">
      <Card
        title={t.parameters}
        actions={
          <>
            <Button small look="ghost" onClick={() => fill(form.examples.minimal)}>
              {t.example}
            </Button>
            <Button small look="ghost" onClick={() => fill(form.examples.full)}>
              {t.fullExample}
            </Button>
            <Button small look="ghost" onClick={() => fill({})}>
              {t.clear}
            </Button>
          </>
        }
      >
        <TaskFormProvider value={order.scene}>
          <form
            key={filled}
            className="form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              order.send();
            }}
          >
            {JSON.stringify(values).includes(EXAMPLE_HOST) ? (
              <p className="banner banner-warn">{t.exampleNote}</p>
            ) : null}
            {elsewhere.map((mistake) => (
              <p key={mistake} className="banner banner-danger" role="alert">
                {mistake}
              </p>
            ))}
            {form.fields.filter((field) => !field.advanced && !isFolded(field)).map(draw)}
            <OptionalPart
              fields={folded}
              open={
                folded.some(({ name }) => values[name] !== undefined) ||
                order.hasMistakeIn(folded.map(({ name }) => name))
              }
            >
              {folded.map(draw)}
            </OptionalPart>
            {advanced.length === 0 ? null : (
              <details className="playground-advanced">
                <summary>{t.advanced}</summary>
                <div className="form">{advanced.map(draw)}</div>
              </details>
            )}
            <TaskPrice order={order} />
          </form>
        </TaskFormProvider>
      </Card>
      <div className="stack">
        {ordered === "" ? null : <OrderedTask taskId={ordered} />}
        <Card title={t.code}>
          <p className="quiet small">{t.codeHint}</p>
          <CodeTabs label={t.code} codes={taskSnippets(id, input, location.origin)} />
        </Card>
        {form.rules.length === 0 ? null : (
          <details className="playground-advanced">
            <summary>{t.rulesTitle}</summary>
            <ul className="playground-rules small">
              {form.rules.map((rule) => (
                <li key={rule.code}>{mistakeSentence(language, rule)}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </div>
  );
}

function inFormOrder(form: PanelTaskForm, values: Values): Values {
  const known = form.fields.filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(known.map(({ name }) => [name, values[name]]));
}
