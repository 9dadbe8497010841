import { visible } from '#/ui/visible-text';
import { Missing } from '#/ui/status';
import type { Change } from './EventDetails';

/** Number of field names in a row of the log; the others are counted. */
const SHOWN = 2;

function isSame({ before, after }: Change): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

/** Names of the fields that an event changed, so that people need not open each row. */
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
