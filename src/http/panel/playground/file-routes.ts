/**
 * The files of an account: seen by all but developers, uploaded by those who use keys, deleted by
 * those who manage.
 */
import { panelFile, panelListedFile } from "../../../business/panel/playground/panel-file-view.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { LIST_PAGE_DEFAULT } from "../../../kernel/limits.ts";
import { createUploadEndpoint } from "../../create-upload-endpoint.ts";
import type { UploadEndpointDeps } from "../../create-upload-endpoint.ts";
import { memberRoute, memberStreamedRoute } from "../member-route.ts";
import { filesWithoutLinks } from "../withheld.ts";
import type { Route } from "../../route.ts";
import type { StorageUseCases } from "../../routes/storage.ts";

export interface PanelFilesUseCases {
  readonly uploads: UploadEndpointDeps;
  readonly files: Pick<StorageUseCases, "listFiles" | "deleteFile">;
  /** What the account's files take, and may take. */
  readStorage(
    accountId: Uuid,
  ): Promise<{ readonly usedBytes: number; readonly limitBytes: number }>;
}

export function panelFileRoutes({ uploads, files, readStorage }: PanelFilesUseCases): Route[] {
  const endpoint = createUploadEndpoint(uploads);
  const { uploadLimitBytes } = uploads.useCases;
  return [
    memberStreamedRoute("POST /playground/files", {
      needs: "keyholder",
      streamed: { checkHead: (headers) => endpoint.checkHead(headers) },
      async handle(call) {
        const { accountId } = call.member;
        const { file } = await endpoint.take(call, { accountId, keyId: null });
        return { json: panelFile(file) };
      },
    }),
    memberRoute("GET /files", {
      needs: "viewer",
      seen: filesWithoutLinks,
      async handle({ member, query }) {
        const { cursor = null, limit = LIST_PAGE_DEFAULT } = query;
        const [page, storage] = await Promise.all([
          files.listFiles(member, { cursor, limit }),
          readStorage(member.accountId),
        ]);
        return {
          json: {
            data: page.rows.map((file) => panelListedFile(file)),
            nextCursor: page.next,
            storage: { ...storage, uploadLimitBytes },
          },
        };
      },
    }),
    memberRoute("DELETE /files/{name}", {
      needs: "manager",
      async handle({ member, params }) {
        if ((await files.deleteFile(member, params.name)) === "not-found") {
          throw new Fault("not_found", { message: "This account has no such file." });
        }
        return { json: {} };
      },
    }),
  ];
}
