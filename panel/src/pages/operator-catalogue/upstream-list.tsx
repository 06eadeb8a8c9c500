/** Holds the edited text against an upstream's list of models, and takes rows of it over into the text. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type {
  UpstreamListed,
  UpstreamLists,
} from "../../../../src/contract/panel/upstream-list.ts";
import { postApi } from "../../api/call-api.ts";
import { useOperatorData } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Select } from "../../ui/select.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { GoneAndOdd } from "./gone-and-odd.tsx";
import { ListedCosts } from "./listed-costs.tsx";
import { ListedModels } from "./listed-models.tsx";
import { useMarks } from "./marks.ts";
import { costKey, withTaken } from "./take-rows.ts";
import { useListTexts } from "./use-list-texts.ts";

interface UpstreamListProps {
  /** What is edited, or in force where nothing is. */
  readonly source: string;
  onTake(source: string): void;
}

export function UpstreamList(props: UpstreamListProps): ReactNode {
  const t = useListTexts();
  const query = useOperatorData("/operator/catalogue/upstream-lists");
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="quiet">{t.noUpstreams}</p>
        ) : (
          <Compare {...props} lists={data} />
        )
      }
    </Loaded>
  );
}

interface CompareProps extends UpstreamListProps {
  readonly lists: UpstreamLists["data"];
}

function Compare({ source, onTake, lists }: CompareProps): ReactNode {
  const t = useListTexts();
  const rateOf = (name: string): number | null => {
    const rate = lists.find(({ upstream }) => upstream === name)?.rate ?? null;
    return rate === null ? null : Number(rate);
  };
  const [upstream, setUpstream] = useState(lists[0]?.upstream ?? "");
  const [rate, setRate] = useState(rateOf(upstream));
  const [markup, setMarkup] = useState<number | null>(null);
  const asking = useMutation({
    mutationFn: (text: string) =>
      postApi("/operator/catalogue/upstream-list", {
        body: {
          source: text,
          upstream,
          ...(rate === null ? {} : { rate: String(rate) }),
          ...(markup === null ? {} : { markup: String(markup) }),
        },
      }),
  });
  return (
    <div className="stack">
      <Card title={t.title}>
        <p className="quiet">{t.lead}</p>
        <Form error={asking.error} onSubmit={() => asking.mutate(source)}>
          <Select
            label={t.upstream}
            value={upstream}
            onChange={(name) => {
              setUpstream(name);
              setRate(rateOf(name));
              asking.reset();
            }}
            options={lists.map((one) => ({ value: one.upstream, label: one.upstream }))}
          />
          <NumberField
            label={t.rate}
            hint={t.rateHint}
            optional
            decimal
            autoComplete="off"
            value={rate}
            onChange={setRate}
          />
          <NumberField
            label={t.markup}
            hint={t.markupHint}
            optional
            decimal
            autoComplete="off"
            value={markup}
            onChange={setMarkup}
          />
          <div className="form-actions">
            <Button type="submit" look="primary" icon="check" busy={asking.isPending}>
              {t.compare}
            </Button>
          </div>
        </Form>
      </Card>
      {asking.data === undefined ? null : asking.variables === source ? (
        <Result key={asking.submittedAt} listed={asking.data} source={source} onTake={onTake} />
      ) : (
        <p className="quiet" role="status">
          {t.stale}
        </p>
      )}
    </div>
  );
}

interface ResultProps extends UpstreamListProps {
  readonly listed: UpstreamListed;
}

function Result({ listed, source, onTake }: ResultProps): ReactNode {
  const t = useListTexts();
  const toasts = useToasts();
  const { count } = useFormats();
  const marks = useMarks();
  const { mistakes, failure, costs, fresh, endOfModels, rate, priced } = listed;
  if (mistakes.length > 0)
    return (
      <p className="banner banner-warn" role="alert">
        {t.textMistakes}
      </p>
    );
  if (failure !== null)
    return (
      <p className="banner banner-danger" role="alert">
        {t.failures[failure.why]}
        {failure.status === null ? "" : ` ${t.status(failure.status)}`}
      </p>
    );
  const taken = {
    costs: costs.filter((row) => marks.has(costKey(row))),
    models: fresh.filter(({ id }) => marks.has(id)),
    endOfModels,
  };
  const size = taken.costs.length + taken.models.length;
  const editable = costs.filter((row) => row.editable).map(costKey);
  return (
    <Card>
      <p role="status">
        {[
          t.listed(listed.listed, count(listed.listed)),
          ...(listed.partial ? [t.partial] : []),
          ...(priced ? (rate === null ? [t.noRate] : []) : [t.noPrices]),
        ].join(" ")}
      </p>
      {priced && rate !== null ? <ListedCosts costs={costs} marks={marks} /> : null}
      <ListedModels models={fresh} marks={marks} takes={endOfModels !== null} />
      <GoneAndOdd listed={listed} />
      <div className="row">
        <Button
          look="primary"
          disabled={size === 0}
          onClick={() => {
            onTake(withTaken(source, taken));
            toasts.done(t.taken(size));
          }}
        >
          {t.take(size)}
        </Button>
        {editable.length === 0 ? null : (
          <Button look="ghost" onClick={() => marks.replace(marks.size > 0 ? [] : editable)}>
            {marks.size > 0 ? t.takeNone : t.takeAll}
          </Button>
        )}
      </div>
    </Card>
  );
}
