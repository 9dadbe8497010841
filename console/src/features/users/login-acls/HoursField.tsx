import { X } from 'lucide-react';
import { Fragment } from 'react';
import { useT } from '#/lib/i18n';
import type { CustomInput } from '#/resource/define';
import { RowsInput } from '#/resource/form/RowsInput';
import { IconButton } from '#/ui/button';
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
          <Fragment key={edge}>
            {edge === 'end' && <span aria-hidden>–</span>}
            <ClockInput
              className="w-20!"
              aria-label={t(EDGES[edge])}
              value={span[edge]}
              disabled={disabled}
              onChange={(clock) => onChange({ ...span, [edge]: clock })}
            />
          </Fragment>
        ))}
        {span.end <= span.start && <span className="text-meta text-ink-3">{t('users:acl.next_day')}</span>}
      </div>
    </div>
  );
}

/** Spans of time in a week. None means always. */
export function HoursField({ input }: { readonly input: CustomInput }) {
  const t = useT();
  return (
    <div className="max-w-md">
      <RowsInput<Span>
        input={input}
        empty={t('users:acl.always')}
        add={t('users:acl.add_span')}
        made={newSpan}
      >
        {({ row, ...place }) => <SpanRow span={row} disabled={input.disabled} {...place} />}
      </RowsInput>
    </div>
  );
}
