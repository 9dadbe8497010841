import { useMemo } from 'react';
import { useT } from '#/lib/i18n';
import type { FieldMap } from '../api';
import type { Resource, ResourceDefinition } from '../define';
import type { SearchField } from './tag-search';

/** Conditions of the search field: the filterable fields of the metadata and those that the definition adds. */
export function useSearchFields<Row extends Resource>(
  resource: ResourceDefinition<Row>,
  meta: FieldMap,
): readonly SearchField[] {
  const t = useT();
  return useMemo(() => {
    const own = (resource.list.filters ?? []).map((filter) => ({
      key: filter.key,
      label: t(filter.label),
      ...(filter.choices
        ? { choices: filter.choices.map((choice) => ({ value: choice.value, label: t(choice.label) })) }
        : {}),
    }));
    const known = new Set([...own.map((field) => field.key), ...(resource.list.untyped ?? []), 'id']);
    const offered = Object.entries(meta)
      .filter(([key, field]) => field.filter && !known.has(key))
      .map(([key, field]) => ({
        key,
        label: field.label,
        ...(field.choices
          ? {
              choices: field.choices.map(({ value, display_name }) => ({
                value: String(value),
                label: display_name,
              })),
            }
          : field.type === 'boolean'
            ? {
                choices: [
                  { value: 'true', label: t('resource:yes') },
                  { value: 'false', label: t('resource:no') },
                ],
              }
            : {}),
      }));
    return [...own, ...offered];
  }, [resource, meta, t]);
}
