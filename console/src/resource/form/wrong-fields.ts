import { useEffect } from 'react';
import type { FieldErrors } from 'react-hook-form';
import type { Translate } from '#/lib/i18n';
import type { FieldMap, FieldMeta } from '../api';
import type { FieldSpec, FormValues } from '../define';
import { focusField } from './focus-field';

/** Paths of the fields with an error, in the order of the form; `object.field` inside of nested objects. */
export function wrongNames(errors: FieldErrors<FormValues>, names: readonly string[]): readonly string[] {
  const paths = (error: unknown, path: string): readonly string[] => {
    if (typeof error !== 'object' || error === null) return [];
    if ('message' in error && 'type' in error && typeof error.type === 'string') return [path];
    return Object.entries(error).flatMap(([child, inner]) => paths(inner, `${path}.${child}`));
  };
  return names.flatMap((name) => paths(errors[name], name));
}

/** Label of a field by its path. */
export function labelOf(
  path: string,
  fields: FieldMap,
  specs: Readonly<Record<string, FieldSpec>>,
  t: Translate,
): string {
  const own = specs[path]?.label;
  if (own !== undefined) return t(own);
  let meta: FieldMeta | undefined;
  let level: FieldMap | undefined = fields;
  for (const step of path.split('.')) {
    meta = level?.[step];
    level = meta?.children;
  }
  return meta?.label ?? path;
}

/** Moves the focus to the first invalid field each time `wanted` increases, after the errors are rendered. */
export function useFocusOnFirst(first: string | undefined, wanted: number): void {
  useEffect(() => {
    if (wanted > 0 && first !== undefined) focusField(first);
    // oxlint-disable-next-line react/exhaustive-deps -- errors change more often than the focus may move
  }, [wanted]);
}
