/**
 * `/panel/api/groups`: groups of keys (a department, a project) with a budget of their own, as the
 * panel shows, makes and changes them.
 */
import Type from "typebox";
import { Currency, moment, roubles } from "../money.ts";
import { nullableString } from "../nullable.ts";
import { NewPanelKey, PanelKeyLimit } from "./panel-key.ts";
import { Revision, REVISION } from "./revision.ts";

const { once, name, limit, models } = NewPanelKey.properties;

export const PanelGroup = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: Type.Enum(["active", "frozen", "deleted"]),
  createdAt: moment("When it was made."),
  frozenAt: nullableString({ description: "Since when it is switched off; null: it is not." }),
  models: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "The only ones that its keys may call; null: all.",
  }),
  keys: Type.Integer({ description: "How many keys are in it." }),
  revision: Revision,
  currency: Currency,
  spentToday: roubles("By its keys today, in Moscow, while they were in it."),
  spentMonth: roubles("The same this month, in Moscow."),
  spentTotal: roubles("The same ever."),
  held: roubles("Held for what runs now."),
  limit: Type.Union([PanelKeyLimit, Type.Null()], {
    description: "Of all its keys together; null: no limit but the balance.",
  }),
});
export type PanelGroup = Type.Static<typeof PanelGroup>;

export const PanelGroupList = Type.Object({
  /** By name. */
  data: Type.Array(PanelGroup),
});
export type PanelGroupList = Type.Static<typeof PanelGroupList>;

export const NewPanelGroup = Type.Object({
  /** A UUID that the form made: the same one again makes no second group but is a `conflict`. */
  once,
  name,
  limit,
  models,
});
export type NewPanelGroup = Type.Static<typeof NewPanelGroup>;

/** What is left out stays as it is; null takes a restriction away. */
export const PanelGroupChange = Type.Object({
  name: Type.Optional(name),
  limit,
  models,
  revision: REVISION,
});
export type PanelGroupChange = Type.Static<typeof PanelGroupChange>;
