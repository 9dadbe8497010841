const two = (value: number): string => String(value).padStart(2, '0');

/** Position in a recording: `05:02`, or `1:05:02` from one hour on. */
export function clockText(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** Whether `?t=` has a value that names no second. */
export function hasUnusableStart(search: string): boolean {
  const text = new URLSearchParams(search).get('t');
  return text !== null && text !== '' && startFromAddress(search) === null;
}

/** Parses the value of `?t=`; returns seconds, or null for unusable text. */
export function startFromAddress(search: string): number | null {
  const text = new URLSearchParams(search).get('t');
  const ms = text === null || text.trim() === '' ? Number.NaN : Number(text) * 1000;
  return ms >= 0 && ms <= Number.MAX_SAFE_INTEGER ? ms : null;
}
