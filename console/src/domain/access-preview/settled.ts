import { useEffect, useState } from 'react';
import { instantOf, readTyped, written } from '#/ui/dates/typed';

/** Debounce, in ms: the effect is worked out this long after the last change. */
const SETTLE_MS = 300;

/** What a form sends, once nobody types any more. */
export function useSettled<Values>(values: Values): Values {
  const text = JSON.stringify(values);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return JSON.parse(settled) as Values;
}

/** The instant in a date field; undefined for one that is empty or not typed to its end. */
export function typedInstant(value: unknown): Date | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const typed = readTyped(written(value));
  return 'value' in typed ? instantOf(typed.value) : undefined;
}
