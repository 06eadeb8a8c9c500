/**
 * The types that the table of the panel's routes gives to both sides of it: which paths there are,
 * what is sent to each, what comes back.
 */
import type { Static, TObject, TSchema } from "typebox";
import type { PANEL_ROUTES } from "./panel-routes.ts";

type Table = typeof PANEL_ROUTES;

/** Where the paths of the table begin. */
export type PanelApiRoot = "/panel/api";

/** `GET /keys/{hash}`. */
export type PanelRouteName = keyof Table;
/** Those that answer JSON. */
export type JsonRouteName = {
  [Name in PanelRouteName]: Table[Name] extends { readonly answer: TSchema } ? Name : never;
}[PanelRouteName];
/** Those that take JSON, or nothing. */
export type PlainRouteName = {
  [Name in PanelRouteName]: Table[Name] extends { readonly rawBody: object } ? never : Name;
}[PanelRouteName];
/** Those that read by themselves what is sent. */
export type RawRouteName = Exclude<PanelRouteName, PlainRouteName>;

/** The paths of a method: of those names, where some are given. */
export type PathOf<
  Method extends string,
  Name extends string = PanelRouteName,
> = Name extends `${Method} ${infer Path}` ? Path : never;

type ParamOf<Name extends string> = Name extends `${string}{${infer Param}}${infer Rest}`
  ? (Param extends `+${infer Rests}` ? Rests : Param) | ParamOf<Rest>
  : never;

/** What stands in braces in its path, by name. */
export type ParamsOf<Name extends string> = Readonly<Record<ParamOf<Name>, string>>;

export type QueryOf<Name extends PanelRouteName> = Name extends PanelRouteName
  ? Table[Name] extends { readonly query: infer Query extends TObject }
    ? Static<Query>
    : Readonly<Record<never, never>>
  : never;

/** Null: it takes none, or reads it by itself. */
export type BodyOf<Name extends PanelRouteName> = Name extends PanelRouteName
  ? Table[Name] extends { readonly body: infer Body extends TSchema }
    ? Static<Body>
    : null
  : never;

/** Of one that answers JSON. */
export type AnswerOf<Name extends PanelRouteName> = Name extends PanelRouteName
  ? Table[Name] extends { readonly answer: infer Body extends TSchema }
    ? Static<Body>
    : never
  : never;
