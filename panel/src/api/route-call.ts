/** What a call of the panel's API needs, by the table of its routes. */
import type {
  AnswerOf,
  BodyOf,
  JsonRouteName,
  PanelRouteName,
  ParamsOf,
  PathOf,
  PlainRouteName,
  QueryOf,
} from "../../../src/contract/panel/routes/panel-api.ts";

type Nothing = Readonly<Record<never, never>>;

/** Paths of a method that take JSON or nothing and answer JSON. */
export type JsonPath<Method extends "GET" | "POST" | "DELETE"> = PathOf<
  Method,
  JsonRouteName & PlainRouteName
>;

/** Its names are the route's; a number, or a word of a list, may be the text that a form has. */
export type QueryFor<Name extends PanelRouteName> = {
  readonly [Key in keyof QueryOf<Name>]: Text<QueryOf<Name>[Key]>;
};
type Text<Value> = Value extends string ? string : Value | string | undefined;

/** Left out where no part of the path is in braces. */
export type ParamsFor<Name extends PanelRouteName> = [keyof ParamsOf<Name>] extends [never]
  ? Nothing
  : { readonly params: ParamsOf<Name> };

/** Left out where the route takes none. */
type BodyFor<Name extends PanelRouteName> = [BodyOf<Name>] extends [null]
  ? Nothing
  : { readonly body: BodyOf<Name> };

/** Where something is read. */
export type Target<Name extends PanelRouteName> = ParamsFor<Name> &
  (Nothing extends QueryFor<Name>
    ? { readonly query?: QueryFor<Name> }
    : { readonly query: QueryFor<Name> });

/** Where something is changed, and by what. */
export type Change<Name extends PanelRouteName> = ParamsFor<Name> & BodyFor<Name>;

/** The last argument of a call, which may be left out where nothing in it is needed. */
export type Rest<Options> = Nothing extends Options ? [options?: Options] : [options: Options];

/** Of a path that is read. */
export type Read<Path extends PathOf<"GET">> = AnswerOf<`GET ${Path}`>;
