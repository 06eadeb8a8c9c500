/** Why a request was refused, plainly, with its id for support. */
import type { ReactNode } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { useFaults } from "../../i18n/use-faults.ts";

export function RefusalBanner({ error }: { readonly error: ApiError }): ReactNode {
  const faults = useFaults();
  const detail = faults.detail(error);
  return (
    <div className="banner banner-danger" role="alert">
      <div className="task-failure">
        <p>{faults.sentence(error)}</p>
        {detail === null ? null : <p className="small">{detail}</p>}
        {error.requestId === null ? null : (
          <p className="small">
            {faults.texts.requestId} <code>{error.requestId}</code>
          </p>
        )}
      </div>
    </div>
  );
}
