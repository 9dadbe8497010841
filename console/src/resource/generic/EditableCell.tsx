import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Missing } from '#/ui/status';
import { textOf } from '../format';

/** Parses typed text as JSON; text that is not JSON is returned unchanged. */
export function parseCell(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A value that is edited in place: a click opens the field, Enter or blur saves the text, Escape discards it. */
export function EditableCell({
  value,
  label,
  onChange,
}: {
  readonly value: unknown;
  /** Row and column, for assistive technology. */
  readonly label: string;
  /** Rejects when the change was refused; the callback has then shown the error. */
  readonly onChange: (value: unknown) => Promise<unknown>;
}) {
  const t = useT();
  /** The value typed by the person, shown until the row itself changes. */
  const [taken, setTaken] = useState<{ readonly over: unknown; readonly value: unknown } | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const shown = taken?.over === value ? taken?.value : value;
  const leave = () => {
    if (typed === null) return;
    setTyped(null);
    if (typed === textOf(shown)) return;
    const next = parseCell(typed);
    setTaken({ over: value, value: next });
    // After a refused change, restore the old value.
    void onChange(next).catch(() => setTaken(null));
  };
  if (typed === null) {
    const text = textOf(shown);
    return (
      <button
        type="button"
        className="min-h-6 max-w-full min-w-16 truncate rounded-1 px-1 text-left hover:bg-surface-3"
        aria-label={t('resource:generic.edit_cell', { label, value: text })}
        onClick={() => setTyped(text)}
      >
        {text === '' ? <Missing /> : text}
      </button>
    );
  }
  return (
    <input
      // The person opened the field to type.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      aria-label={label}
      autoComplete="off"
      className="h-6 w-full min-w-24 rounded-1 border border-focus bg-surface-1 px-1 outline-none!"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={leave}
      onKeyDown={(event) => {
        if (event.key === 'Enter') leave();
        else if (event.key === 'Escape') {
          event.stopPropagation();
          setTyped(null);
        }
      }}
    />
  );
}
