/**
 * What the installation is called and how it looks: it comes with the page, and is asked for again
 * now and then, because an operator may change it while the page is open.
 */
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Installation } from "../../../src/contract/panel/installation.ts";
import { readApi } from "./call-api.ts";

const FRESH_MS = 300_000;

/** Where the server did not write it into the page: while the panel is worked on. */
const UNTOLD: Installation = {
  name: "Tollgate",
  logo: null,
  favicon: null,
  tint: null,
  support: null,
  terms: null,
  privacy: null,
  passkeys: null,
  announcement: null,
  signUp: { mode: "open", domains: [], captcha: false, consents: [], trial: "0" },
};

const installationQuery = queryOptions({
  queryKey: ["installation"],
  staleTime: FRESH_MS,
  queryFn: ({ signal }) => readApi("/installation", { signal }),
  initialData: ofPage,
  // What is announced reaches those too who leave the page open.
  refetchInterval: FRESH_MS,
});

export function useInstallation(): Installation {
  return useQuery(installationQuery).data;
}

function ofPage(): Installation {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="tollgate-installation"]');
  return meta === null ? UNTOLD : (JSON.parse(meta.content) as Installation);
}
