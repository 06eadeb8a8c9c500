/** The price of a task while its form is filled in, its order, and every mistake at its field. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import type { Language } from "../../../../../src/contract/enums/language.ts";
import type { PanelErrorBody } from "../../../../../src/contract/panel/panel-error.ts";
import type { PlaygroundTaskQuote } from "../../../../../src/contract/panel/playground.ts";
import { ApiError } from "../../../api/api-error.ts";
import { pagesKey, usePages } from "../../../api/use-pages.ts";
import { useLocale } from "../../../i18n/locale.tsx";
import type { PreviewedFile } from "../../../ui/media-preview.tsx";
import { missingFields } from "../../../ui/tasks/missing-fields.ts";
import { useDebounced } from "../../../ui/use-debounced.ts";
import { mistakeSentence } from "../../../i18n/mistake-sentence.ts";
import { newId } from "../new-id.ts";
import { orderTask, quoteTask } from "./task-call.ts";
import type { TaskInput } from "./task-call.ts";
import type { TaskFormScene } from "./task-form-context.ts";
import type { TaskModel } from "./task-model.ts";

type Mistake = PanelErrorBody["error"]["errors"][number];

export interface TaskOrder {
  readonly scene: TaskFormScene;
  /** Of the values as they are now; undefined while they are priced, and where they cannot be. */
  readonly quote: PlaygroundTaskQuote | undefined;
  readonly mistakes: readonly Mistake[];
  /** Why the quote or the order was refused, where that is no mistake of a field. */
  readonly refusal: ApiError | null;
  readonly sending: boolean;
  send(): void;
  /** Those that belong to none of these fields, as sentences. */
  mistakesBeside(names: readonly string[]): readonly string[];
  /** Whether one of these fields is at fault. */
  hasMistakeIn(names: readonly string[]): boolean;
}

interface TaskOrderWish {
  readonly model: TaskModel;
  readonly payerHash: string;
  readonly input: TaskInput;
  onOrdered(taskId: string): void;
}

export function useTaskOrder({
  model: { id: model, form },
  payerHash,
  input,
  onOrdered,
}: TaskOrderWish): TaskOrder {
  const client = useQueryClient();
  const { language } = useLocale();
  const rested = useDebounced(input);
  // What is required is only missed once the member tried to order.
  const [tried, setTried] = useState(false);
  const priced = useQuery({
    queryKey: ["playground", "task-quote", payerHash, model, rested],
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
    enabled: missingFields(form.fields, rested).length === 0,
    queryFn: ({ signal }) => quoteTask({ payerHash, model, input: rested }, signal),
  });
  const intent = useRef<{ readonly wish: string; readonly key: string } | null>(null);
  const order = useMutation({
    mutationFn: (sent: TaskInput) => {
      const wish = JSON.stringify([payerHash, model, sent]);
      // The same order again, because its answer was lost, is the same task.
      if (intent.current?.wish !== wish) intent.current = { wish, key: newId() };
      return orderTask({ payerHash, model, input: sent }, intent.current.key);
    },
    onSuccess: ({ taskId }) => {
      intent.current = null;
      // What can be spent is less now.
      for (const queryKey of [["overview"], ["playground"], pagesKey("/tasks")])
        void client.invalidateQueries({ queryKey });
      onOrdered(taskId);
    },
  });
  const missing = useMemo(() => missingFields(form.fields, input), [form, input]);
  const current = missing.length === 0 && rested === input && !priced.isPlaceholderData;
  const ofOrder = order.error instanceof ApiError && order.variables === input ? order.error : null;
  const ofQuote = current && priced.error instanceof ApiError ? priced.error : null;
  const mistakes = useMemo(() => {
    if (missing.length > 0) return tried ? missing : [];
    return (ofQuote ?? ofOrder)?.errors ?? [];
  }, [missing, ofQuote, ofOrder, tried]);
  const scene = useFormScene(mistakes, language);
  const refused = ofOrder ?? ofQuote;
  return {
    scene,
    quote: current ? priced.data : undefined,
    mistakes: missing.length > 0 ? missing : (ofQuote?.errors ?? []),
    refusal: refused !== null && refused.errors.length === 0 ? refused : null,
    sending: order.isPending,
    send() {
      setTried(true);
      if (missing.length === 0 && !order.isPending) order.mutate(input);
    },
    hasMistakeIn: (names) => mistakes.some((mistake) => belongsTo(mistake, names)),
    mistakesBeside: (names) =>
      mistakes
        .filter((mistake) => !belongsTo(mistake, names))
        .map((mistake) => mistakeSentence(language, mistake)),
  };
}

function belongsTo({ param }: Mistake, names: readonly string[]): boolean {
  return names.some(
    (name) => param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`),
  );
}

function useFormScene(mistakes: readonly Mistake[], language: Language): TaskFormScene {
  const { rows } = usePages("/files");
  const [uploaded, setUploaded] = useState<readonly PreviewedFile[]>([]);
  return useMemo(() => {
    const kept = (rows ?? []).map(({ url, fileName, name, preview }) => ({
      url,
      preview,
      name: fileName === "" ? name : fileName,
    }));
    const files = [
      ...uploaded,
      ...kept.filter(({ url }) => !uploaded.some((one) => one.url === url)),
    ];
    return {
      files,
      fileAt: (url) => files.find((file) => file.url === url),
      onUploaded: (file) => setUploaded((before) => [file, ...before]),
      mistakeAt(path) {
        const mistake = mistakes.find(({ param }) => param === path);
        return mistake === undefined ? undefined : mistakeSentence(language, mistake);
      },
    };
  }, [rows, uploaded, mistakes, language]);
}
