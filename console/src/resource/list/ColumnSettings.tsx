import { Columns3 } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { Checkbox } from '#/ui/choice';

/** Which columns are shown. The first one (the name) and the actions always are. */
export function ColumnSettings({
  columns,
  shown,
  onChange,
}: {
  readonly columns: readonly { readonly key: string; readonly label: string }[];
  readonly shown: ReadonlySet<string>;
  readonly onChange: (shown: readonly string[]) => void;
}) {
  const t = useT();
  const id = useId();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    panel.current?.querySelector<HTMLElement>('input:not(:disabled)')?.focus();
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside, true);
    return () => document.removeEventListener('pointerdown', outside, true);
  }, [open]);
  return (
    <div
      ref={box}
      role="presentation"
      className="relative"
      onBlur={(event) => {
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <IconButton
        ref={button}
        icon={Columns3}
        label={t('resource:columns')}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div
          ref={panel}
          id={id}
          role="group"
          aria-label={t('resource:columns')}
          className="pt-popover absolute top-full right-0 mt-1 grid max-h-[60vh] w-max gap-0.5 p-2"
        >
          {columns.map((column, index) => (
            <Checkbox
              key={column.key}
              className="rounded-2 px-2 hover:bg-hover"
              checked={index === 0 || shown.has(column.key)}
              disabled={index === 0}
              onChange={(event) => {
                const on = event.target.checked;
                onChange(
                  columns.map((one) => one.key).filter((key) => (key === column.key ? on : shown.has(key))),
                );
              }}
            >
              {column.label}
            </Checkbox>
          ))}
        </div>
      )}
    </div>
  );
}
