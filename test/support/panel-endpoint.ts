/**
 * A endpoint with routes of the panel, at which a test says whose session a request is: what routes
 * answer, without how one logs in.
 */
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import { createClientAddress } from "../../src/http/client-address.ts";
import { createNodeServer } from "../../src/http/node-server.ts";
import type { Route } from "../../src/http/route.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { Fault } from "../../src/kernel/faults.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import "./check-panel-answers.ts";

export interface PanelAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  json<T>(): T;
}

export interface PanelEndpoint {
  readonly url: string;
  /**
   * `body`: undefined for a GET; null for a request without a body; a form is sent as it is. As a
   * page of the panel itself would send it.
   */
  ask(
    member: MemberCaller | null,
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PanelAnswer>;
  close(): Promise<void>;
}

const MEMBER_HEADER = "x-test-member";

export async function openPanelEndpoint(routes: readonly Route[]): Promise<PanelEndpoint> {
  const members = new Map<string, MemberCaller>();
  let url = "";
  const server = await createNodeServer({
    routes,
    rawRoutes: new Map(),
    authenticate: () => Promise.reject(new Fault("invalid_api_key")),
    async authenticateMember(headers) {
      const member = members.get(String(headers[MEMBER_HEADER]));
      if (member === undefined) throw new Fault("session_required");
      return member;
    },
    origin: () => url,
    clientAddress: createClientAddress([]),
    onRequestDone: () => undefined,
    clock: systemClock,
  });
  url = `http://127.0.0.1:${await server.listen({ host: "127.0.0.1", port: 0 })}`;
  return {
    url,
    async ask(member, method, path, body = null, headers = {}) {
      if (member !== null) members.set(member.memberId, member);
      const form = body instanceof FormData;
      const response = await fetch(`${url}${path}`, {
        method,
        redirect: "manual",
        headers: {
          origin: url,
          ...(member === null ? {} : { [MEMBER_HEADER]: member.memberId }),
          ...(body === null || form ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === null ? {} : { body: form ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: <T>() => JSON.parse(text) as T,
      };
    },
    close: () => server.close(0),
  };
}

/** An owner, logged in to the end, unless something else is said. */
export function panelMember(
  about: Partial<MemberCaller> & Pick<MemberCaller, "accountId">,
): MemberCaller {
  return {
    sessionId: newUuid(),
    memberId: newUuid(),
    email: "owner@example.test",
    role: "owner",
    operator: false,
    language: "ru",
    stage: "full",
    ...about,
  };
}
