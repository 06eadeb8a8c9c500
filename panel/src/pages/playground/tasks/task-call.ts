/** Where a task's order and its price are asked for; a model's id may have slashes, which stay. */
import { sendApi } from "../../../api/call-api.ts";
import { PAYER_HEADER } from "../payer.tsx";

export type TaskInput = Readonly<Record<string, unknown>>;

interface TaskCall {
  readonly payerHash: string;
  readonly model: string;
  readonly input: TaskInput;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export async function callTask<Answer>(
  what: "tasks" | "quote/tasks",
  { payerHash, model, input, headers = {}, signal }: TaskCall,
): Promise<Answer> {
  const response = await sendApi(`/playground/${what}/${pathOf(model)}`, {
    method: "POST",
    headers: { "content-type": "application/json", [PAYER_HEADER]: payerHash, ...headers },
    body: JSON.stringify(input),
    ...(signal === undefined ? {} : { signal }),
  });
  return (await response.json()) as Answer;
}

export function pathOf(model: string): string {
  return model.split("/").map(encodeURIComponent).join("/");
}
