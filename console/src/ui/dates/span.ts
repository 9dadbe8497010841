import type { DateSpan } from './shortcuts';
import { type DateProblem, readTyped, written } from './typed';

/** A span as the text of its two fields. */
export interface TypedSpan {
  readonly from: string;
  readonly to: string;
}

export interface SpanChange {
  /** Typed or chosen, to the minute. */
  readonly onTyped: (span: TypedSpan) => void;
  /** By a shortcut, exact. */
  readonly onSpan: (span: DateSpan) => void;
}

export type ReadSpan =
  | { readonly value: TypedSpan }
  | { readonly problem: DateProblem; readonly wrong: keyof TypedSpan };

/**
 * Parses both fields; a day without a time gets the default time of its side. A span that ends before it begins is
 * refused.
 */
export function readSpan(text: TypedSpan, times: TypedSpan = { from: '00:00', to: '00:00' }): ReadSpan {
  const from = readTyped(text.from, 'datetime', { time: times.from });
  if ('problem' in from) return { ...from, wrong: 'from' };
  const to = readTyped(text.to, 'datetime', { time: times.to });
  if ('problem' in to) return { ...to, wrong: 'to' };
  if (to.value < from.value)
    return { problem: { key: 'ui:date.reversed', values: { from: written(from.value) } }, wrong: 'to' };
  return { value: { from: from.value, to: to.value } };
}
