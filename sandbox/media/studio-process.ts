/**
 * The process that makes and measures media: one job per message, one answer per job; ends with its
 * parent.
 */
import { filmVideo } from "./film-video.ts";
import { measureMedia } from "./measure-media.ts";
import type { MediaSpec } from "./output-spec.ts";
import { paintImage } from "./paint-image.ts";
import { recordSound } from "./record-sound.ts";
import type { StudioAnswer, StudioJob } from "./studio-messages.ts";

async function work(job: StudioJob): Promise<StudioAnswer> {
  if (job.kind === "measure")
    return { ok: true, measured: await measureMedia(job.path, job.contentType) };
  await make(job.path, job.spec);
  return { ok: true, measured: null };
}

function make(path: string, spec: MediaSpec): Promise<void> {
  switch (spec.kind) {
    case "image":
      return paintImage(path, spec);
    case "video":
      return filmVideo(path, spec);
    case "sound":
      return recordSound(path, spec);
  }
}

process.on("message", (job) => {
  work(job as StudioJob).then(
    (answer) => process.send?.(answer),
    (error: unknown) =>
      process.send?.({
        ok: false,
        message: error instanceof Error ? error.message : String(error),
      }),
  );
});
process.once("disconnect", () => process.exit(0));
// A terminal sends Ctrl-C to the whole group; the parent decides.
process.on("SIGINT", () => undefined);
