/** What the form of a kind of call is made of: its parameters, its endpoint, and how its answer is shown. */
import type { ReactNode } from "react";
import type { CallType } from "../../../../../src/contract/enums/call-endpoint.ts";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import type { CallField, CallValues } from "./call-field.ts";
import type { CallAnswer } from "./read-answer.ts";
import type { CallPath, CallRequest } from "./write-call.ts";

export interface AnswerProps {
  readonly answer: CallAnswer;
  /** What was asked. */
  readonly request: CallRequest;
}

export interface CallKind {
  readonly type: CallType;
  fieldsOf(model: PanelModel, values: CallValues): readonly CallField[];
  pathOf(values: CallValues): CallPath;
  /** Sent with every request. */
  readonly always?: Readonly<Record<string, unknown>>;
  readonly Answer: (props: AnswerProps) => ReactNode;
}
