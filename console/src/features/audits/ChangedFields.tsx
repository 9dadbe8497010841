import { visible } from '#/ui/visible-text';
import { Missing } from '#/ui/status';
import type { Change } from './EventDetails';

/** Names of fields that a row of the log shows before the rest is counted. */
const SHOWN = 2;

function isSame({ before, after }: Change): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

/** Which fields an event changed, by name: the log is read without opening each row. */
export function ChangedFields({ changes }: { readonly changes: readonly Change[] }) {
  const names = changes.filter((change) => !isSame(change)).map(({ label }) => visible(label));
  if (names.length === 0) return <Missing />;
  const rest = names.length - SHOWN;
  return (
    <span className="text-ink-2" title={names.join(', ')}>
      {names.slice(0, SHOWN).join(', ')}
      {rest > 0 && ` +${rest}`}
    </span>
  );
}
