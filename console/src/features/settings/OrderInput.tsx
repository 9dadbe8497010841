import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import type { Choice } from '#/resource/api';
import type { CustomInput } from '#/resource/define';
import { Button } from '#/ui/button';
import { Checkbox } from '#/ui/choice';

function entriesOf(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' ? value.split(',') : [];
}

/**
 * All entries: those of the value in its order, then the others. `order`: the rows as the person last left them, so that
 * an entry that was switched off a moment ago keeps its place.
 */
function rowsOf(value: unknown, choices: readonly Choice[], order: readonly string[]): readonly string[] {
  const known = choices.map((choice) => String(choice.value));
  const on = entriesOf(value).filter((entry) => known.includes(entry));
  const isCurrent = on.join() === order.filter((entry) => on.includes(entry)).join();
  return isCurrent && order.length > 0 ? order : [...on, ...known.filter((entry) => !on.includes(entry))];
}

/** Some of the choices in an order: each has a checkbox, and buttons that move it up and down. */
export function OrderInput({
  input,
  choices,
}: {
  readonly input: CustomInput;
  readonly choices: readonly Choice[];
}) {
  const t = useT();
  const [order, setOrder] = useState<readonly string[]>([]);
  const [moved, setMoved] = useState('');
  const { id, value, onChange, describedBy, disabled, label } = input;
  const on = new Set(entriesOf(value));
  const rows = rowsOf(value, choices, order);
  const nameOf = (entry: string) => choices.find((choice) => choice.value === entry)?.display_name ?? entry;
  const apply = (next: readonly string[], chosen: ReadonlySet<string>) => {
    setOrder(next);
    onChange(next.filter((entry) => chosen.has(entry)).join(','));
  };
  const move = (entry: string, by: -1 | 1) => {
    const next = rows.filter((one) => one !== entry);
    const at = rows.indexOf(entry) + by;
    next.splice(at, 0, entry);
    apply(next, on);
    setMoved(t('settings:order.moved', { name: nameOf(entry), place: at + 1 }));
  };
  return (
    <div className="grid gap-1">
      <ol id={id} tabIndex={-1} aria-label={label} aria-describedby={describedBy} className="grid gap-1">
        {rows.map((entry, index) => (
          <li key={entry} className="flex items-center gap-2 rounded border border-line px-2 py-1">
            <Checkbox
              className="min-w-0 grow"
              checked={on.has(entry)}
              disabled={disabled}
              onChange={(event) => {
                const chosen = new Set(on);
                if (event.target.checked) chosen.add(entry);
                else chosen.delete(entry);
                apply(rows, chosen);
              }}
            >
              {nameOf(entry)}
            </Checkbox>
            <Button
              kind="text"
              size="sm"
              className="shrink-0"
              icon={ArrowUp}
              aria-label={t('settings:order.up', { name: nameOf(entry) })}
              disabled={disabled || index === 0}
              onClick={() => move(entry, -1)}
            />
            <Button
              kind="text"
              size="sm"
              className="shrink-0"
              icon={ArrowDown}
              aria-label={t('settings:order.down', { name: nameOf(entry) })}
              disabled={disabled || index === rows.length - 1}
              onClick={() => move(entry, 1)}
            />
          </li>
        ))}
      </ol>
      <p className="sr-only" role="status">
        {moved}
      </p>
    </div>
  );
}
