/** Tells the metrics of uploads: how they end, how many run, how much they have stored. */
import type { UploadReport } from "../serving/files/receive-upload.ts";
import { countBy } from "./count-by.ts";
import type { Metrics } from "./metrics.ts";

/** Returns what hears of each upload that has ended. */
export function reportUploads(
  metrics: Pick<Metrics, "watch">,
  active: () => number,
): (report: UploadReport) => void {
  const outcomes = countBy(metrics, {
    name: "uploads",
    help: "Uploads that have ended, by outcome.",
    label: "outcome",
  });
  let storedBytes = 0;
  metrics.watch({ name: "uploads_active", help: "Uploads that run now.", read: active });
  metrics.watch({
    name: "upload_stored_bytes",
    help: "Bytes of the files that uploads have stored.",
    read: () => storedBytes,
  });
  return ({ outcome, bytes }) => {
    outcomes(outcome);
    storedBytes += bytes;
  };
}
