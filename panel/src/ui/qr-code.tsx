/** A QR code, dark on light whatever the theme: cameras want it so. */
import type { ReactNode } from "react";
import { encode } from "uqr";
import { useWords } from "../i18n/use-words.ts";

export function QrCode({
  text,
  label,
}: {
  readonly text: string;
  readonly label?: string;
}): ReactNode {
  const words = useWords();
  const { data, size } = encode(text, { ecc: "M", border: 2 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      className="qr-code"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label ?? words.qrCode}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
