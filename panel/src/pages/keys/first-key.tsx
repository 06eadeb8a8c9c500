/**
 * The first key of who has just confirmed an e-mail: made by itself, and shown the one time that it
 * can be seen.
 */
import { useMutation } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { PanelKeyMade } from "../../../../src/contract/panel/panel-key.ts";
import { useKeysChanged } from "../../api/account-keys.ts";
import { postApi } from "../../api/call-api.ts";
import { isFirstRun } from "../../app/first-run.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { newFormId } from "../../api/new-form-id.ts";
import { ShownSecret } from "./shown-secret.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

/** `none`: the account has no key yet. */
export function FirstKey({ none }: { readonly none: boolean }): ReactNode {
  const t = useKeysTexts();
  const faults = useFaults();
  const changed = useKeysChanged();
  const wanted = useRouterState({ select: ({ location }) => isFirstRun(location.state) }) && none;
  // Kept here only, and only until it was seen.
  const [made, setMade] = useState<PanelKeyMade | null>(null);
  const [once] = useState(newFormId);
  const asked = useRef(false);
  const { mutate, error } = useMutation({
    gcTime: 0,
    // Its answer is handed on and not returned: nothing that keeps answers may keep this one.
    mutationFn: async () => {
      setMade(await postApi("/keys", { body: { name: "default", once } }));
    },
    onSettled: changed,
  });
  useEffect(() => {
    if (!wanted || asked.current) return;
    asked.current = true;
    mutate();
  }, [wanted, mutate]);
  return (
    <>
      {error === null ? null : (
        <p className="banner banner-danger" role="alert">
          {t.firstKeyFailed} {faults.sentence(error)}
        </p>
      )}
      <ShownSecret made={made} onSaved={() => setMade(null)} />
    </>
  );
}
