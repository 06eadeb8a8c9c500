/** A request as an upstream would get it, for the operator's eye: the credential is only named. */
import type { OutgoingRequest } from "../../net/outgoing.ts";

/** One route of the model, in the order in which they are tried. */
export interface TriedRoute {
  readonly upstream: string;
  /** The upstream's name of the model, as the route has it. */
  readonly model: string;
  readonly order: number;
  /** Null: this route would not get it. */
  readonly request: TriedRequest | null;
  /** Why not, or what else there is to know. */
  readonly notes: readonly string[];
}

export interface TriedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export function triedRequest({
  method,
  origin,
  path,
  headers,
  body,
}: OutgoingRequest): TriedRequest {
  return {
    method,
    url: `${origin}${path}`,
    headers: { ...headers },
    body: Buffer.isBuffer(body) ? (JSON.parse(body.toString()) as unknown) : null,
  };
}

/** What stands where the credential would. */
export function namedCredential(names: readonly string[]): string {
  return `<${names[0] ?? "NO_CREDENTIAL"}>`;
}
