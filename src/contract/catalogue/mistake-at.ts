/** A mistake of the catalogue at its place, with its sentence in English. */
import type {
  CatalogueMistake,
  CatalogueMistakeCode,
  CatalogueMistakes,
  CodedMistake,
  NoParams,
} from "./catalogue-mistake.ts";
import { ENGLISH_SENTENCES } from "./english-sentences.ts";

/** What follows a code: nothing where its sentence names nothing. */
export type ParamsOf<Code extends CatalogueMistakeCode> = CatalogueMistakes[Code] extends NoParams
  ? []
  : [CatalogueMistakes[Code]];

export function mistakeAt<Code extends CatalogueMistakeCode>(
  { path, line }: Pick<CatalogueMistake, "path" | "line">,
  code: Code,
  ...given: ParamsOf<Code>
): CatalogueMistake {
  const [params = {}]: readonly object[] = given;
  // The compiler does not see that the params and the sentence are those of the same code.
  const say = ENGLISH_SENTENCES[code] as (named: object) => string;
  return { path, line, ...({ code, params } as CodedMistake), message: say(params) };
}
