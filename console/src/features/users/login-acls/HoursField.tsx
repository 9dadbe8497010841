import { Plus, X } from 'lucide-react';
import { useT } from '#/lib/i18n';
import type { CustomInput } from '#/resource/define';
import { Button, IconButton } from '#/ui/button';
import { Checkbox } from '#/ui/choice';
import { ClockInput } from '#/ui/dates/ClockInput';
import { DAYS, dayName, newSpan, type Span } from './spans';

const EDGES = { start: 'users:acl.start', end: 'users:acl.end' } as const;

function SpanRow({
  span,
  number,
  disabled,
  onChange,
  onRemove,
}: {
  readonly span: Span;
  readonly number: number;
  readonly disabled: boolean;
  readonly onChange: (span: Span) => void;
  readonly onRemove: () => void;
}) {
  const t = useT();
  const toggle = (day: number) =>
    onChange({
      ...span,
      days: span.days.includes(day) ? span.days.filter((other) => other !== day) : [...span.days, day],
    });
  return (
    <div
      role="group"
      aria-label={t('users:acl.span', { number })}
      className="grid gap-2 rounded-2 border border-line p-2.5"
    >
      <div className="flex items-start gap-2">
        <div className="flex min-w-0 grow flex-wrap gap-x-3 gap-y-1">
          {DAYS.map((day) => (
            <Checkbox
              key={day}
              aria-label={dayName(day, 'long')}
              checked={span.days.includes(day)}
              disabled={disabled}
              onChange={() => toggle(day)}
            >
              {dayName(day)}
            </Checkbox>
          ))}
        </div>
        <IconButton
          kind="text"
          icon={X}
          label={t('users:acl.remove_span', { number })}
          disabledReason={disabled ? t('resource:not_allowed') : undefined}
          onClick={onRemove}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {(['start', 'end'] as const).map((edge) => (
          <ClockInput
            key={edge}
            className="w-20!"
            aria-label={t(EDGES[edge])}
            value={span[edge]}
            disabled={disabled}
            onChange={(clock) => onChange({ ...span, [edge]: clock })}
          />
        ))}
        {span.end <= span.start && <span className="text-meta text-ink-3">{t('users:acl.next_day')}</span>}
      </div>
    </div>
  );
}

/** Spans of time in a week. None means always. */
export function HoursField({ input }: { readonly input: CustomInput }) {
  const t = useT();
  // Each value of this field comes from the server or from this control.
  const spans = (Array.isArray(input.value) ? input.value : []) as readonly Span[];
  const replace = (index: number, span: Span) =>
    input.onChange(spans.map((other, at) => (at === index ? span : other)));
  return (
    <div
      id={input.id}
      role="group"
      aria-label={input.label}
      aria-describedby={input.describedBy}
      className="grid max-w-md gap-2"
    >
      {spans.length === 0 && <p className="pt-1 text-ink-2">{t('users:acl.always')}</p>}
      {spans.map((span, index) => (
        <SpanRow
          // oxlint-disable-next-line react/no-array-index-key -- spans have no other identity
          key={index}
          span={span}
          number={index + 1}
          disabled={input.disabled}
          onChange={(changed) => replace(index, changed)}
          onRemove={() => input.onChange(spans.filter((_, at) => at !== index))}
        />
      ))}
      {!input.disabled && (
        <span>
          <Button size="sm" icon={Plus} onClick={() => input.onChange([...spans, newSpan()])}>
            {t('users:acl.add_span')}
          </Button>
        </span>
      )}
    </div>
  );
}
