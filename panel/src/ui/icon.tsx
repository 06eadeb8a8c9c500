/** Small line drawings that go beside words; never the only way to tell something. */
import type { ReactNode } from "react";

const PATHS = {
  home: "M3 11l9-8 9 8M5 9.5V21h5v-6h4v6h5V9.5",
  key: "M15 9a6 6 0 1 0-5 5.9L12 17h2v2h2v2h4v-4l-5.2-5.2A6 6 0 0 0 15 9zM8 8h.01",
  list: "M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01",
  film: "M3 5h18v14H3zM8 5v14M16 5v14M3 9.7h5M3 14.3h5M16 9.7h5M16 14.3h5",
  folder: "M3 6a1 1 0 0 1 1-1h5l2 3h9a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z",
  tag: "M3 12V4a1 1 0 0 1 1-1h8l9 9-9 9zM7.5 7.5h.01",
  play: "M5 3.5v17l15-8.5z",
  wallet: "M3 7a2 2 0 0 1 2-2h13v4M3 7v11a2 2 0 0 0 2 2h16V9H5a2 2 0 0 1-2-2zM16.5 14.5h.01",
  bell: "M6 16V11a6 6 0 1 1 12 0v5l2 2H4zM10 21h4",
  gear: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 12l-1.5-1 1.5-3.5 2 .3 1.5-1.5-.3-2L10.5 3l1.5 1.5L13.5 3l3.3 1.3-.3 2L18 7.8l2-.3L21.5 11 20 12l1.5 1-1.5 3.5-2-.3-1.5 1.5.3 2L13.5 21 12 19.5 10.5 21l-3.3-1.3.3-2L6 16.2l-2 .3L2.5 13z",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14a6.5 6.5 0 0 1 3.5 6",
  pulse: "M2 12h5l3-8 4 16 3-8h5",
  chart: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  scales: "M12 3v18M6 21h12M5 7h14M5 7l-3 7h6zM19 7l-3 7h6z",
  eye: "M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7-10-7-10-7zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  menu: "M3 6h18M3 12h18M3 18h18",
  close: "M5 5l14 14M19 5L5 19",
  check: "M4 12.5l5.5 5.5L20 6.5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  down: "M5 9l7 7 7-7",
  up: "M5 15l7-7 7 7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  warning: "M12 3L2 20h20zM12 10v4M12 17h.01",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  globe: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5 5 13 0 18-5-5-5-13 0-18z",
  upload: "M12 16V4M7 9l5-5 5 5M4 16v4h16v-4",
  download: "M12 4v12M7 11l5 5 5-5M4 20h16",
  plus: "M12 5v14M5 12h14",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6",
  back: "M19 12H5M11 6l-6 6 6 6",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  exit: "M14 4H5v16h9M10 12h11M17 8l4 4-4 4",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
  image: "M3 4h18v16H3zM3 17l5-5 4 4 3-3 6 6M15.5 9.5h.01",
  sound: "M4 9v6h4l5 4V5L8 9zM16.5 8.5a5 5 0 0 1 0 7M19 6a9 9 0 0 1 0 12",
  file: "M6 2h8l5 5v15H6zM14 2v5h5",
  send: "M4 12L21 4l-6 17-3.5-7z",
  stop: "M6 6h12v12H6z",
  again: "M20 11a8 8 0 1 0-2.3 6.7M20 4v7h-7",
  code: "M8 6l-6 6 6 6M16 6l6 6-6 6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({
  name,
  size = 18,
}: {
  readonly name: IconName;
  readonly size?: number;
}): ReactNode {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
