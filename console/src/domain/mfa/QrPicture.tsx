const QUIET_ZONE = 4;

/**
 * The QR picture of an enrolment, drawn from the server's rows. Dark on white in both themes, because cameras need
 * that.
 */
export function QrPicture({ rows, label }: { readonly rows: readonly string[]; readonly label: string }) {
  const size = rows.length + 2 * QUIET_ZONE;
  let path = '';
  rows.forEach((row, y) => {
    for (const run of row.matchAll(/1+/g)) {
      path += `M${run.index + QUIET_ZONE} ${y + QUIET_ZONE}h${run[0].length}v1h-${run[0].length}z`;
    }
  });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-2 border border-line"
    >
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}
