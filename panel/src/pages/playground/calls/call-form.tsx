/** The form of one kind of call, with its live price, what came of it, and the same call as code. */
import { useEffect, useMemo, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../../src/contract/panel/panel-key.ts";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CodeTabs } from "../../../ui/code-block.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { CallField, CallValues } from "./call-field.ts";
import type { CallKind } from "./call-kind.ts";
import { CallPrice } from "./call-price.tsx";
import { callSnippets } from "./call-snippets.ts";
import { EarlierCalls } from "./earlier-calls.tsx";
import { FieldView } from "./field-view.tsx";
import { MadeCallView } from "./made-call-view.tsx";
import { useCall } from "./use-call.ts";
import { useCallsTexts } from "./use-calls-texts.ts";
import { lackingOf, writeCall } from "./write-call.ts";

const FIRST_WRONG = "[aria-invalid], fieldset:has(.field-error) input";

interface CallFormProps {
  readonly kind: CallKind;
  readonly model: PanelModel;
  readonly payer: PanelKey;
}

export function CallForm({ kind, model, payer }: CallFormProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useCallsTexts();
  const [values, setValues] = useState<CallValues>({});
  // Another set of values is another form: numbers keep what was typed, so they are drawn anew.
  const [filled, setFilled] = useState(0);
  const parameters = useMemo(() => kind.fieldsOf(model, values), [kind, model, values]);
  const request = useMemo(
    () =>
      writeCall({
        path: kind.pathOf(values),
        model: model.id,
        always: kind.always,
        parameters,
        values,
      }),
    [kind, model, parameters, values],
  );
  const call = useCall({
    payerHash: payer.hash,
    parameters,
    request,
    values,
    ...lackingOf(parameters, values),
  });
  const [newest, ...earlier] = call.made;
  const form = useRef<HTMLFormElement>(null);
  const [pressed, setPressed] = useState(0);
  useEffect(() => {
    if (pressed > 0) form.current?.querySelector<HTMLElement>(FIRST_WRONG)?.focus();
  }, [pressed]);
  const fill = (next: CallValues): void => {
    setValues(next);
    setFilled(filled + 1);
  };
  const draw = (field: CallField): ReactNode => (
    <FieldView
      key={field.name}
      field={field}
      value={values[field.name]}
      error={call.errorAt(field)}
      onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
    />
  );
  const example = own.examples[kind.type];
  const advanced = parameters.filter((field) => field.advanced === true);
  return (
    <div className="playground-columns">
      <Card
        title={t.parameters}
        actions={
          <>
            {example === undefined ? null : (
              <Button small look="ghost" onClick={() => fill({ ...values, ...example })}>
                {t.example}
              </Button>
            )}
            <Button small look="ghost" onClick={() => fill({})}>
              {t.clear}
            </Button>
          </>
        }
      >
        <form
          ref={form}
          key={filled}
          className="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            call.send();
            setPressed(pressed + 1);
          }}
        >
          {parameters.filter((field) => field.advanced !== true).map(draw)}
          {advanced.length === 0 ? null : (
            <details className="playground-advanced">
              <summary>{t.advanced}</summary>
              <div className="form">{advanced.map(draw)}</div>
            </details>
          )}
          <CallPrice call={call} />
        </form>
      </Card>
      <div className="stack">
        {newest === undefined ? null : <MadeCallView kind={kind} made={newest} />}
        <EarlierCalls kind={kind} calls={earlier} onAgain={fill} />
        <Card title={t.code}>
          <p className="quiet small">{t.codeHint}</p>
          <CodeTabs label={t.code} codes={callSnippets(request, location.origin)} />
        </Card>
      </div>
    </div>
  );
}
