/** The secret of a key that was just made, this one time, with examples that work as they are. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PanelKeyMade } from "../../../../src/contract/panel/panel-key.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { apiSnippets } from "../../ui/api-snippets.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock, CodeTabs } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

interface ShownSecretProps {
  /** Null: there is none to show. */
  readonly made: PanelKeyMade | null;
  onSaved(): void;
}

export function ShownSecret({ made, onSaved }: ShownSecretProps): ReactNode {
  const t = useKeysTexts();
  return (
    <Dialog
      title={t.secretTitle}
      description={t.secretText}
      wide
      insists
      open={made !== null}
      actions={
        made === null ? null : (
          <>
            <CopyButton text={made.secret} label={t.secret} />
            <Button look="primary" onClick={onSaved}>
              {t.secretSaved}
            </Button>
          </>
        )
      }
    >
      {made === null ? null : <Secret made={made} />}
    </Dialog>
  );
}

function Secret({ made: { secret, key } }: { readonly made: PanelKeyMade }): ReactNode {
  const t = useKeysTexts();
  const { data } = useQuery(modelsQuery);
  const models = (data?.data ?? []).filter(
    ({ id }) => key.models === null || key.models.includes(id),
  );
  const codes = apiSnippets({
    origin: location.origin,
    key: secret,
    models,
    unrestricted: key.models === null,
  });
  return (
    <>
      <div className="keys-secret">
        <CodeBlock code={secret} label={t.secret} />
      </div>
      {codes.length === 0 ? null : (
        <div className="keys-snippets">
          <h3>{t.snippets}</h3>
          <CodeTabs label={t.snippets} codes={codes} />
          <p className="quiet small">{t.toolsNote}</p>
        </div>
      )}
    </>
  );
}
