/** The texts of upstreams for operators. */
import { useTexts } from "../../i18n/locale.tsx";
import { operatorUpstreamsEn } from "../../i18n/texts/operator-upstreams.en.ts";
import { operatorUpstreamsRu } from "../../i18n/texts/operator-upstreams.ru.ts";
import type { OperatorUpstreamsTexts } from "../../i18n/texts/operator-upstreams.ru.ts";

const TEXTS = { ru: operatorUpstreamsRu, en: operatorUpstreamsEn };

export function useUpstreamTexts(): OperatorUpstreamsTexts {
  return useTexts(TEXTS);
}
