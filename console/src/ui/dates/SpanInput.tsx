import { CalendarRange, CircleAlert } from 'lucide-react';
import { lazy, Suspense, useId, useRef, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import { IconButton } from '../button';
import { TextInput } from '../field';
import type { DateSpan, SpanShortcut } from './shortcuts';
import { readSpan, type SpanChange, type TypedSpan } from './span';
import { fieldValue, written } from './typed';

const SpanPanel = lazy(async () => {
  const [part] = await Promise.all([import('./SpanPanel'), loadNamespaces(['dates'])]);
  return { default: part.SpanPanel };
});

const SIDES = ['from', 'to'] as const;

/**
 * A span of time: typed in two fields, or chosen in a calendar with shortcuts. On a phone the two fields are stacked,
 * with the button beside them.
 */
export function SpanInput({
  span,
  label,
  labels,
  times,
  shortcuts,
  onTyped,
  onSpan,
}: SpanChange & {
  readonly span: DateSpan;
  /** Names the calendar and its button. */
  readonly label: string;
  readonly labels: TypedSpan;
  /** Times of day for typed days without a time. */
  readonly times: TypedSpan;
  readonly shortcuts: readonly SpanShortcut[];
}) {
  const t = useT();
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [typing, setTyping] = useState<TypedSpan | null>(null);
  const value = { from: fieldValue(span.from, 'datetime'), to: fieldValue(span.to, 'datetime') };
  const texts = typing ?? { from: written(value.from), to: written(value.to) };
  const read = typing && readSpan(typing, times);
  const wrong = read && 'problem' in read ? read : null;
  const [left, setLeft] = useState(false);
  const refusal = left ? wrong : null;
  const commit = () => {
    setLeft(true);
    if (!read || 'problem' in read) return;
    setTyping(null);
    if (read.value.from !== value.from || read.value.to !== value.to) onTyped(read.value);
  };
  return (
    <div className="grid gap-1 max-sm:w-full">
      <div className="flex items-center gap-1">
        <div className="flex items-center gap-1 max-sm:min-w-0 max-sm:grow max-sm:flex-col max-sm:items-stretch">
          {SIDES.map((side) => (
            <span key={side} className="contents">
              {side === 'to' && (
                <span className="max-sm:hidden" aria-hidden>
                  –
                </span>
              )}
              <TextInput
                aria-label={labels[side]}
                className="w-36! tabular-nums max-sm:w-full!"
                placeholder="YYYY-MM-DD HH:mm"
                inputMode="numeric"
                value={texts[side]}
                aria-invalid={refusal?.wrong === side || undefined}
                aria-describedby={refusal?.wrong === side ? `${id}-problem` : undefined}
                onChange={(event) => {
                  setLeft(false);
                  setTyping({ ...texts, [side]: event.target.value });
                }}
                onBlur={commit}
                onKeyDown={(event) => {
                  if (event.key === 'Enter') commit();
                  if (event.key === 'Escape' && typing) {
                    event.stopPropagation();
                    setTyping(null);
                  }
                  if (event.key === 'ArrowDown' && event.altKey) setOpen(true);
                }}
              />
            </span>
          ))}
        </div>
        <IconButton
          ref={opener}
          icon={CalendarRange}
          label={label}
          aria-haspopup="dialog"
          aria-expanded={open}
          onClick={() => setOpen(true)}
        />
      </div>
      <Problem id={`${id}-problem`} text={refusal && t(refusal.problem.key, refusal.problem.values)} />
      {open && (
        <Suspense>
          <SpanPanel
            label={label}
            labels={labels}
            value={value}
            shortcuts={shortcuts}
            opener={opener}
            onTyped={onTyped}
            onSpan={(chosen) => {
              setTyping(null);
              onSpan(chosen);
            }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

function Problem({ id, text }: { readonly id: string; readonly text: string | null }) {
  return (
    <p id={id} role="alert" className="flex items-start gap-1 text-meta text-danger empty:hidden">
      {text !== null && (
        <>
          <CircleAlert className="mt-px size-[14px]" aria-hidden />
          <span>{text}</span>
        </>
      )}
    </p>
  );
}
