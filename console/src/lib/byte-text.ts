const UNIT_BYTES = 1000;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes as readable text: `512 MB`. */
export function byteText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= UNIT_BYTES && unit < UNITS.length - 1) {
    value /= UNIT_BYTES;
    unit += 1;
  }
  const rounded = unit === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
  return `${rounded} ${UNITS[unit] ?? ''}`;
}
