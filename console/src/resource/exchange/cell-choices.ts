import { translate } from '#/lib/i18n';
import type { FieldMeta } from '../api';
import { cellText } from './import-row';

interface Labelled {
  readonly value: unknown;
  readonly label: string;
}

/** Possible values of a cell, with the labels that the console shows for them. */
function choicesOf(meta: FieldMeta | undefined): readonly Labelled[] {
  if (meta?.type === 'boolean') {
    return [
      { value: true, label: translate('resource:yes') },
      { value: false, label: translate('resource:no') },
    ];
  }
  return (meta?.choices ?? []).map(({ value, display_name: label }) => ({ value, label }));
}

const same = (value: unknown, other: unknown): boolean =>
  String(value).trim().toLowerCase() === String(other).trim().toLowerCase();

/** A value as readable text: labels for choices, yes and no for booleans, any other value unchanged. */
export function shownCell(meta: FieldMeta | undefined, value: unknown): string {
  const choices = choicesOf(meta);
  if (choices.length === 0) return cellText(value);
  const label = (item: unknown): unknown => choices.find((choice) => same(choice.value, item))?.label ?? item;
  return cellText(Array.isArray(value) ? value.map(label) : label(value));
}

/** Converts typed labels to their values; text that is not a label stays unchanged. */
export function meantCell(meta: FieldMeta | undefined, text: string, before: unknown): string {
  const choices = choicesOf(meta);
  if (text === shownCell(meta, before)) return cellText(before);
  const choice = choices.find(({ label }) => same(label, text));
  return choice ? String(choice.value) : text;
}
