import { Check, Copy, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useT } from '#/lib/i18n';
import { exactTime, exactStamp, friendlyTime, isEndless, parseTime } from '#/lib/time';
import { IconButton } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { CellLink } from '#/ui/link';
import { Chip, Missing } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import type { FieldMeta } from './api';

/** Value of a key, including keys that the row type does not name. */
export function valueOf(row: object, key: string): unknown {
  if (key in row) return (row as Record<string, unknown>)[key];
  const dot = key.indexOf('.');
  const inner = dot < 0 ? undefined : (row as Record<string, unknown>)[key.slice(0, dot)];
  return typeof inner === 'object' && inner !== null ? valueOf(inner, key.slice(dot + 1)) : undefined;
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value as string | number | boolean);
}

export function TextCell({ value }: { readonly value: unknown }) {
  const text = textOf(value);
  return text === '' ? <Missing /> : <bdi title={visible(text)}>{visible(text)}</bdi>;
}

export function MonoCell({ value }: { readonly value: unknown }) {
  const text = textOf(value);
  return text === '' ? (
    <Missing />
  ) : (
    <bdi className="font-mono text-meta" title={visible(text)}>
      {visible(text)}
    </bdi>
  );
}

/** Relative or short time, or "no end" for an end that is decades away; the tooltip has the exact time with its zone. `exact` for audit pages. */
export function TimeCell({ value, exact = false }: { readonly value: unknown; readonly exact?: boolean }) {
  const t = useT();
  const date = parseTime(value);
  if (!date) return <Missing />;
  const near = exact ? exactStamp(date) : friendlyTime(date);
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)} className="tabular-nums">
      {isEndless(date) ? t('resource:no_end') : near}
    </time>
  );
}

export function BooleanCell({
  value,
  inWords = false,
}: {
  readonly value: unknown;
  readonly inWords?: boolean;
}) {
  const t = useT();
  if (value === null || value === undefined) return <Missing />;
  const label = t(value ? 'resource:yes' : 'resource:no');
  if (inWords) return label;
  const IconOf = value ? Check : X;
  return (
    <span className="inline-flex items-center gap-1" title={label}>
      <IconOf className={value ? 'text-ok' : 'text-ink-3'} aria-hidden />
      <span className="sr-only">{label}</span>
    </span>
  );
}

const CHIPS_SHOWN = 2;

export function ChipsCell({
  values,
  mono = false,
  all = false,
}: {
  readonly values: unknown;
  readonly mono?: boolean;
  readonly all?: boolean;
}) {
  const list = Array.isArray(values) ? values.map((value) => visible(textOf(value))) : [];
  if (list.length === 0) return <Missing />;
  const shown = all ? list : list.slice(0, CHIPS_SHOWN);
  return (
    <span className={`inline-flex gap-1.5 align-middle ${all ? 'flex-wrap' : ''}`} title={list.join(', ')}>
      {shown.map((text) => (
        <Chip key={text} mono={mono}>
          <bdi>{text}</bdi>
        </Chip>
      ))}
      {list.length > shown.length && <Chip>+{list.length - shown.length}</Chip>}
    </span>
  );
}

/** A number that links to the objects it counts. */
export function AmountCell({ value, to }: { readonly value: unknown; readonly to: string }) {
  const text = textOf(value);
  if (text === '') return <Missing />;
  return text === '0' ? <span className="text-ink-3">0</span> : <CellLink to={to}>{text}</CellLink>;
}

export function CopyCell({ value }: { readonly value: unknown }) {
  const t = useT();
  const text = textOf(value);
  if (text === '') return <Missing />;
  return (
    <span className="-my-0.5 inline-flex items-center gap-1 font-mono text-meta [overflow-wrap:anywhere]">
      <bdi>{visible(text)}</bdi>
      <IconButton
        kind="text"
        size="sm"
        icon={Copy}
        label={t('ui:copy')}
        onClick={() => void copyText(text)}
      />
    </span>
  );
}

/** Loads and reveals a value after a click on Show. */
export function ShowCell({ load }: { readonly load: () => Promise<ReactNode> }) {
  const t = useT();
  const [content, setContent] = useState<ReactNode>(null);
  const [busy, setBusy] = useState(false);
  if (content !== null) return content;
  return (
    <button
      type="button"
      className="pt-link min-h-6"
      aria-busy={busy}
      onClick={() => {
        setBusy(true);
        load().then(setContent, () => setBusy(false));
      }}
    >
      {t('ui:show')}
    </button>
  );
}

/** A value formatted by its metadata: display text of a choice, mark, time, chips, text. */
export function AutoCell({
  row,
  name,
  meta,
  inWords = false,
}: {
  readonly row: object;
  readonly name: string;
  readonly meta: FieldMeta | undefined;
  /** Booleans as words (definition lists) instead of marks (tables). */
  readonly inWords?: boolean;
}) {
  const value = valueOf(row, name);
  const display = valueOf(row, `${name}_display`);
  if (typeof display === 'string' && display !== '') return <TextCell value={display} />;
  if (typeof value === 'boolean') return <BooleanCell value={value} inWords={inWords} />;
  if (meta?.type === 'datetime' || (typeof value === 'string' && /^\d{4}\/\d\d\/\d\d \d\d:/.test(value))) {
    return <TimeCell value={value} />;
  }
  const choice = meta?.choices?.find((option) => option.value === value);
  if (choice) return <TextCell value={choice.display_name} />;
  if (Array.isArray(value)) return <ChipsCell values={value} />;
  return <TextCell value={value} />;
}
