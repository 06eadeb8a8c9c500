/**
 * A route of the panel for sessions, by its line in the panel's table: what a member must be to
 * call it stands beside its handler, everything else in the table.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { TSchema } from "typebox";
import type {
  AnswerOf,
  BodyOf,
  JsonRouteName,
  PanelRouteName,
  ParamsOf,
  PlainRouteName,
  QueryOf,
  RawRouteName,
} from "../../contract/panel/routes/panel-api.ts";
import type { Answer, IncomingBody, MemberCall, MemberRoute } from "../route.ts";
import { checkMemberAccess, type MemberNeeds } from "./member-access.ts";
import { answerOf, panelHead, type JsonAnswer } from "./panel-head.ts";

export interface PanelRoute extends MemberRoute {
  readonly needs: MemberNeeds;
  /** Absent: an operator who sees the account as its members do is refused. */
  readonly seen?: true;
}

interface Admission {
  readonly needs: MemberNeeds;
}

type PanelCall<Name extends PanelRouteName, Body = BodyOf<Name>> = Omit<
  MemberCall<QueryOf<Name>>,
  "params" | "body"
> & { readonly params: ParamsOf<Name>; readonly body: Body };

/** In the shape that the table says. */
type Answered<Name extends PanelRouteName> =
  | Promise<JsonAnswer<AnswerOf<Name>>>
  | JsonAnswer<AnswerOf<Name>>;

/**
 * To operators who see the account as its members do: whole, or without what this leaves out. Only
 * what reads can be; and the way out, which changes nothing of the account.
 */
type Seen<Name extends JsonRouteName> = Name extends `GET ${string}` | "POST /log-out"
  ? true | ((answer: AnswerOf<Name>) => AnswerOf<Name>)
  : never;

/** Takes JSON or nothing, answers JSON. */
export function memberRoute<Name extends JsonRouteName & PlainRouteName>(
  name: Name,
  {
    needs,
    seen,
    strictBody,
    handle,
  }: Admission & {
    /** Absent: not at all. */
    readonly seen?: Seen<Name>;
    /** The body of the table, held against more than its shape. */
    readonly strictBody?: TSchema;
    handle(call: PanelCall<Name>): Answered<Name>;
  },
): PanelRoute {
  const route = routeOf(name, { needs, seen: seen !== undefined }, async (call) => {
    const answer = await handle(call as unknown as PanelCall<Name>);
    const shown = seen as true | ((json: unknown) => unknown) | undefined;
    return call.member.seeing !== undefined && typeof shown === "function"
      ? answerOf(name, { ...answer, json: shown(answer.json) })
      : answerOf(name, answer);
  });
  return strictBody === undefined
    ? route
    : { ...route, doc: { ...route.doc, requestBody: strictBody } };
}

/** Answers with something else than JSON. */
export function memberContentRoute<Name extends Exclude<PanelRouteName, JsonRouteName>>(
  name: Name,
  { needs, handle }: Admission & { handle(call: PanelCall<Name>): Promise<Answer> },
): PanelRoute {
  return routeOf(name, { needs }, (call) => handle(call as unknown as PanelCall<Name>));
}

/** Its handler reads the body by itself, as that of a bytesRoute. */
export function memberBytesRoute<Name extends JsonRouteName & RawRouteName>(
  name: Name,
  {
    needs,
    bodyLimitBytes,
    handle,
  }: Admission & {
    readonly bodyLimitBytes: number;
    handle(call: PanelCall<Name, Buffer>): Answered<Name>;
  },
): PanelRoute {
  const route = routeOf(name, { needs }, async (call) =>
    answerOf(name, await handle(call as unknown as PanelCall<Name, Buffer>)),
  );
  return { ...route, bodyLimitBytes };
}

/** Its handler reads the body as it comes, as that of a streamedRoute. */
export function memberStreamedRoute<Name extends JsonRouteName & RawRouteName>(
  name: Name,
  {
    needs,
    streamed,
    handle,
  }: Admission & {
    readonly streamed: { checkHead(headers: IncomingHttpHeaders): void };
    handle(call: PanelCall<Name, IncomingBody>): Answered<Name>;
  },
): PanelRoute {
  const route = routeOf(name, { needs }, async (call) =>
    answerOf(name, await handle(call as unknown as PanelCall<Name, IncomingBody>)),
  );
  return { ...route, streamed };
}

function routeOf(
  name: PanelRouteName,
  { needs, seen = false }: Admission & { readonly seen?: boolean },
  handle: (call: MemberCall<unknown>) => Promise<Answer>,
): PanelRoute {
  return {
    ...panelHead(name),
    access: "member",
    needs,
    ...(seen ? { seen } : {}),
    admit: (member) => checkMemberAccess(member, needs, seen),
    handle,
  };
}
