import { useEffect, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { cellText } from './import-row';

/**
 * A cell that becomes a text field on click or Enter. Enter or blur saves, Escape restores the old text. Text and field
 * have the same height, so the table does not move.
 */
export function EditableCell({
  column,
  rowNumber,
  value,
  problem,
  onCommit,
  onEditing,
  onTaken,
}: {
  readonly column: string;
  readonly rowNumber: number;
  readonly value: unknown;
  /** Why the server rejected the value. */
  readonly problem: string | undefined;
  readonly onCommit: (text: string) => void;
  readonly onEditing: (editing: boolean) => void;
  /** Called after Enter; returns whether it moves the focus itself. */
  readonly onTaken?: ((rowNumber: number) => boolean) | undefined;
}) {
  const t = useT();
  const [draft, setDraft] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const refocus = useRef(false);
  const latest = useRef({ draft, onCommit, onEditing });
  useEffect(() => {
    latest.current = { draft, onCommit, onEditing };
  });
  useEffect(() => {
    if (draft === null && refocus.current) button.current?.focus();
    refocus.current = false;
  }, [draft]);
  // Unmounting by a page change must not discard typed text.
  useEffect(
    () => () => {
      const { draft: typed, onCommit: commit, onEditing: tell } = latest.current;
      if (typed === null) return;
      commit(typed);
      tell(false);
    },
    [],
  );

  const text = cellText(value);
  const leave = (typed: string | null, keepFocus: boolean) => {
    // Closing unmounts the field, which some browsers report as a blur: the change must not be saved twice.
    if (latest.current.draft === null) return;
    latest.current = { ...latest.current, draft: null };
    refocus.current = keepFocus;
    setDraft(null);
    if (typed !== null) onCommit(typed);
    onEditing(false);
  };
  if (draft !== null) {
    return (
      <input
        // The person opened the field to type.
        autoFocus
        className="h-(--row-h) w-full rounded-1 bg-surface-1 px-2.5 outline-2 -outline-offset-2 outline-focus"
        aria-label={t('exchange:import.edit_cell', { column, number: rowNumber })}
        aria-invalid={problem === undefined ? undefined : true}
        autoComplete="off"
        spellCheck={false}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={(event) => leave(event.target.value, false)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
            event.preventDefault();
            leave(event.currentTarget.value, onTaken?.(rowNumber) !== true);
          } else if (event.key === 'Escape') {
            // Escape must not close the surrounding dialog.
            event.stopPropagation();
            leave(null, true);
          }
        }}
      />
    );
  }
  const failed = problem === undefined ? '' : ` (${t('exchange:import.cell_failed')})`;
  const named = text === '' ? t('exchange:import.empty_cell') : text;
  return (
    <button
      ref={button}
      type="button"
      className="block h-(--row-h) w-full truncate px-2.5 text-left hover:bg-hover data-failed:bg-danger-soft data-failed:[box-shadow:inset_0_0_0_1px_var(--danger-dot)]"
      data-failed={problem === undefined ? undefined : ''}
      data-row={rowNumber}
      aria-label={t('exchange:import.cell', { column, number: rowNumber, value: named }) + failed}
      title={problem ?? text}
      onClick={() => {
        setDraft(text);
        onEditing(true);
      }}
    >
      {text === '' ? <span className="text-ink-3">{named}</span> : text}
    </button>
  );
}
