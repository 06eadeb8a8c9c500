/** The price of a call while its form is filled in, the call itself, and every mistake at its field. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { PlaygroundCallQuote } from "../../../../../src/contract/panel/playground.ts";
import { ApiError, unreachable } from "../../../api/api-error.ts";
import { postRaw, sendRaw } from "../../../api/call-api.ts";
import { useFaults } from "../../../i18n/use-faults.ts";
import { useDebounced } from "../../../ui/use-debounced.ts";
import type { Inspected } from "../call-inspector.tsx";
import { PAYER_HEADER } from "../payer.tsx";
import type { CallField, CallValues } from "./call-field.ts";
import type { CallAnswer } from "./read-answer.ts";
import { useCallsTexts } from "./use-calls-texts.ts";
import { bodyOf, identityOf, shownCall, type CallRequest } from "./write-call.ts";

/** One call and what came back. */
export interface MadeCall extends Inspected {
  readonly request: CallRequest;
  /** What stood in the form. */
  readonly values: CallValues;
  readonly answer: CallAnswer;
  readonly requestId: string;
  /** ISO 8601: when it was answered. */
  readonly madeAt: string;
}

/** Answers are kept as long as their form is there, and no longer: sounds and images are large. */
const MOST_MADE = 12;

export interface Call {
  /** Of the form as it is now; undefined while it is priced, and where it cannot be. */
  readonly quote: PlaygroundCallQuote | undefined;
  /** Null: nothing is missing; else what the form still needs. */
  readonly lacks: "values" | "mending" | null;
  errorAt(field: CallField): string | undefined;
  /** Why the price or the call was refused, where no field says it. */
  readonly refusal: ApiError | null;
  readonly running: boolean;
  /** The newest first. */
  readonly made: readonly MadeCall[];
  send(): void;
  stop(): void;
}

interface CallWish {
  readonly payerHash: string;
  readonly parameters: readonly CallField[];
  readonly request: CallRequest;
  readonly values: CallValues;
  readonly missing: readonly string[];
  readonly unread: readonly string[];
}

export function useCall({
  payerHash,
  parameters,
  request,
  values,
  missing,
  unread,
}: CallWish): Call {
  const t = useCallsTexts();
  const faults = useFaults();
  const client = useQueryClient();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  // What is required is only missed once the member tried to send.
  const [tried, setTried] = useState(false);
  const ready = missing.length === 0 && unread.length === 0;
  const rested = useDebounced(request);
  const headers = { [PAYER_HEADER]: payerHash };
  const priced = useQuery({
    queryKey: ["playground", "call-quote", payerHash, ...identityOf(rested)],
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
    enabled: ready && rested === request,
    queryFn: ({ signal }) =>
      postRaw(`/playground/quote${rested.path}`, { headers, body: bodyOf(rested), signal }),
  });
  const [made, setMade] = useState<readonly MadeCall[]>([]);
  const sending = useMutation({
    mutationFn: ({ sent, filled, signal }: SentCall) => makeCall({ sent, filled, signal }, headers),
    onSuccess: (one) => setMade((before) => [one, ...before].slice(0, MOST_MADE)),
    onSettled(_made, _error, { sent }) {
      running.current = null;
      // What can be spent is less now. The files of a form are not sent anew to be told so.
      const lessened = sent.form ? [["overview"]] : [["overview"], ["playground"]];
      for (const queryKey of lessened) void client.invalidateQueries({ queryKey });
    },
  });
  useSoundsOf(made);
  const current = ready && rested === request && !priced.isPlaceholderData;
  const ofCall = errorOf(sending.error, sending.variables?.sent === request);
  const refused = ofCall ?? errorOf(priced.error, current && !priced.isFetching);
  const errorAt = ({ name, kind }: CallField): string | undefined => {
    if (tried && missing.includes(name)) return faults.texts.byMistake.required({});
    const worded = refused === null || !ready ? undefined : faults.ofField(refused, name);
    if (worded === undefined) return undefined;
    // What it is told of files has no other words than the API's own.
    if (refused?.code !== "invalid_request") return faults.sentence(refused);
    return kind === "files" ? t.notMedia : worded;
  };
  const beside = parameters.every((field) => errorAt(field) === undefined);
  return {
    quote: current ? priced.data : undefined,
    lacks: unread.length > 0 ? "mending" : missing.length > 0 ? "values" : null,
    errorAt,
    refusal: beside && ready ? refused : null,
    running: sending.isPending,
    made,
    send() {
      setTried(true);
      // A second press before the page knows of the first does nothing.
      if (!ready || running.current !== null) return;
      running.current = new AbortController();
      sending.mutate({ sent: request, filled: values, signal: running.current.signal });
    },
    stop: () => running.current?.abort(),
  };
}

interface SentCall {
  readonly sent: CallRequest;
  readonly filled: CallValues;
  readonly signal: AbortSignal;
}

function errorOf(error: unknown, isOfNow: boolean): ApiError | null {
  return isOfNow && error instanceof ApiError ? error : null;
}

/** Throws an ApiError; where it was stopped, the signal's reason. */
async function makeCall(
  { sent: request, filled, signal }: SentCall,
  headers: Readonly<Record<string, string>>,
): Promise<MadeCall> {
  const response = await sendRaw(`/playground${request.path}`, {
    headers,
    body: bodyOf(request),
    signal,
  });
  const sent = shownCall(request);
  const about = {
    request,
    values: filled,
    sent,
    madeAt: new Date().toISOString(),
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? "",
  };
  const type = response.headers.get("content-type") ?? "";
  try {
    if (type.startsWith("audio/")) {
      const sound = await response.blob();
      const url = URL.createObjectURL(sound);
      const answer = { kind: "sound", url, type, bytes: sound.size } as const;
      return { ...about, received: `${type}, ${sound.size} B`, answer };
    }
    const text = await response.text();
    if (!type.startsWith("application/json"))
      return { ...about, received: text, answer: { kind: "text", text } };
    const body = JSON.parse(text) as unknown;
    return {
      ...about,
      received: JSON.stringify(body, null, 2),
      answer: { kind: "json", body },
    };
  } catch (error) {
    if (signal.aborted) throw error;
    // It broke off.
    throw unreachable();
  }
}

/** The browser keeps a sound until it is let go of. */
function useSoundsOf(made: readonly MadeCall[]): void {
  const held = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const shown = new Set(
      made.flatMap(({ answer }) => (answer.kind === "sound" ? answer.url : [])),
    );
    held.current.forEach((url) => {
      if (!shown.has(url)) URL.revokeObjectURL(url);
    });
    held.current = shown;
  }, [made]);
  useEffect(() => {
    const last = held;
    return () => last.current.forEach((url) => URL.revokeObjectURL(url));
  }, []);
}
