import type { FormValues } from '../../define';

/** The values of a form: those that it began with, those in it, and those that are stored now. */
export interface Versions {
  readonly start: FormValues;
  readonly mine: FormValues;
  readonly stored: FormValues;
}

export interface ChangesOfOthers {
  /** Fields that only others changed. */
  readonly untouched: readonly string[];
  /** Fields that others changed and that the person at the form changed differently. */
  readonly both: readonly string[];
}

/** Equal values have equal texts. The order of chosen objects says nothing. */
function textOf(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value ?? '');
  return JSON.stringify(value.map((item) => JSON.stringify(item)).toSorted());
}

/** What others changed since the form was opened. */
export function changesOfOthers(
  names: readonly string[],
  { start, mine, stored }: Versions,
): ChangesOfOthers {
  const same = (one: FormValues, other: FormValues) => (name: string) =>
    textOf(one[name]) === textOf(other[name]);
  const changed = names.filter(
    (name) => name in stored && !same(stored, start)(name) && !same(stored, mine)(name),
  );
  return {
    untouched: changed.filter(same(mine, start)),
    both: changed.filter((name) => !same(mine, start)(name)),
  };
}
