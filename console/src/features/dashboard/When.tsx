import { exactStamp, friendlyTime, parseTime } from '#/lib/time';

/** The width of a column of moments: that of "Today 12:04". */
export const WHEN_WIDTH = '5.5rem';

/** When something was, in short; the exact time is in its tip. */
export function When({ text }: { readonly text: string }) {
  const date = parseTime(text);
  return (
    <span className="truncate text-right text-meta text-ink-3" title={date ? exactStamp(date) : undefined}>
      {date && friendlyTime(date)}
    </span>
  );
}
