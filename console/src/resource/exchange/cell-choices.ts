import { translate } from '#/lib/i18n';
import type { FieldMeta } from '../api';
import { cellText } from './import-row';

interface Labelled {
  readonly value: unknown;
  readonly label: string;
}

/** What a cell of this field may hold, with the words that the console shows for it. */
function choicesOf(meta: FieldMeta | undefined): readonly Labelled[] {
  if (meta?.type === 'boolean') {
    return [
      { value: true, label: translate('resource:yes') },
      { value: false, label: translate('resource:no') },
    ];
  }
  return (meta?.choices ?? []).map(({ value, display_name: label }) => ({ value, label }));
}

const same = (one: unknown, other: unknown): boolean =>
  String(one).trim().toLowerCase() === String(other).trim().toLowerCase();

/** A value as people read it: the labels of choices, yes and no, and anything else as it is. */
export function shownCell(meta: FieldMeta | undefined, value: unknown): string {
  const choices = choicesOf(meta);
  if (choices.length === 0) return cellText(value);
  const label = (one: unknown): unknown => choices.find((choice) => same(choice.value, one))?.label ?? one;
  return cellText(Array.isArray(value) ? value.map(label) : label(value));
}

/** Typed words as the value that they mean; what is no label stays as it was typed. */
export function meantCell(meta: FieldMeta | undefined, text: string, before: unknown): string {
  const choices = choicesOf(meta);
  if (text === shownCell(meta, before)) return cellText(before);
  const found = choices.find(({ label }) => same(label, text));
  return found ? String(found.value) : text;
}
