/** From which settings a change is made, so that of two who change the same one hears of the other. */
import Type from "typebox";

/** Of what is shown. */
export const Revision = Type.String({
  description: "Of its settings: named with a change, it is refused where another came between.",
});

/** Of a change. */
export const REVISION = Type.Optional(
  Type.String({
    maxLength: 64,
    description: "That the change is made from; `conflict` where it is not so any more.",
  }),
);
