/** The sandbox as an upstream that has batches, in the process of the test: which prompts it was asked, and which batches it was sent. */
import { createSandbox } from "../../sandbox/create-sandbox.ts";

export interface AskedSandbox {
  readonly url: string;
  /** How often each prompt came, in batches and alone. */
  readonly asked: ReadonlyMap<string, number>;
  /** Batches that it has, of both protocols. */
  batches(): Promise<readonly { readonly id: string; readonly status: string }[]>;
  close(): Promise<void>;
}

const UPSTREAM_KEY = "sk-operators-own-0123456789abcdef";

export async function startAskedSandbox(): Promise<AskedSandbox> {
  const asked = new Map<string, number>();
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    apiKeys: [UPSTREAM_KEY],
    observe({ body }) {
      const prompt = promptOf(body);
      asked.set(prompt, (asked.get(prompt) ?? 0) + 1);
    },
  });
  const headers = { "x-api-key": UPSTREAM_KEY, authorization: `Bearer ${UPSTREAM_KEY}` };
  const list = async (path: string) => {
    const answer = await fetch(`${sandbox.url}${path}?limit=100`, { headers });
    const { data } = (await answer.json()) as {
      data: { id: string; status?: string; processing_status?: string }[];
    };
    return data.map(({ id, status, processing_status: processing }) => ({
      id,
      status: status ?? processing ?? "",
    }));
  };
  return {
    url: sandbox.url,
    asked,
    batches: async () => [...(await list("/v1/batches")), ...(await list("/v1/messages/batches"))],
    close: () => sandbox.close(),
  };
}

function promptOf(body: Readonly<Record<string, unknown>>): string {
  const { messages, input } = body as { messages?: { content: unknown }[]; input?: unknown };
  const content = messages === undefined ? input : messages.at(-1)?.content;
  if (typeof content === "string") return content;
  const [part] = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return typeof part?.text === "string" ? part.text : JSON.stringify(content);
}
