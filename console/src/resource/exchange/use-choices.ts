import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { currentSession } from '#/lib/session';
import { type Choice, type FieldMap, type FieldMeta, fetchPage } from '../api';
import type { FieldSpec, RemoteOptions } from '../define';
import type { RunSnapshot } from './import-run';

/**
 * Maximum number of objects to compare with a wrong value; among more of them a typo cannot be told from another name.
 */
const MOST_OBJECTS = 200;

const RELATION: FieldMeta = { type: 'field', required: false, read_only: false, label: '' };

/** Fields in which some row failed. */
function failedFields(run: RunSnapshot): readonly string[] {
  const names = new Set<string>();
  for (const index of run.inNeed)
    for (const { field } of run.rows[index]?.problems ?? []) if (field !== null) names.add(field);
  return [...names];
}

/** The rows that a field may choose from in every object; nothing where they depend on its other fields. */
function fixedRemote(spec: FieldSpec | undefined): RemoteOptions | undefined {
  return typeof spec?.remote === 'function' ? undefined : spec?.remote;
}

/**
 * The metadata, extended by the options of relation fields in which rows failed; each relation is loaded once. `specs`
 * are the form's field descriptions.
 */
export function useChoices(
  run: RunSnapshot,
  fields: FieldMap,
  specs: Readonly<Record<string, FieldSpec>>,
): FieldMap {
  const names = run.counts.error === 0 ? [] : failedFields(run).filter((name) => fixedRemote(specs[name]));
  const answers = useQueries({
    queries: names.map((name) => {
      const { api = '', query = {}, option } = fixedRemote(specs[name]) ?? {};
      return {
        queryKey: ['import-choices', name, api, query, currentSession()?.organization.id],
        // Optional: without the options the row still shows its error, only without a remedy.
        queryFn: async (): Promise<readonly Choice[]> => {
          const page = await fetchPage<Record<string, unknown>>(api, {
            ...query,
            offset: 0,
            limit: MOST_OBJECTS,
          });
          return page.results.flatMap((row) => {
            const { id, label } = option?.(row) ?? {};
            return id === undefined || label === undefined ? [] : [{ value: id, display_name: label }];
          });
        },
      };
    }),
  });
  const known = answers.map(({ data }) => data);
  const key = names.map((name, index) => `${name}:${known[index]?.length ?? 0}`).join();
  return useMemo(() => {
    const withOptions = names.flatMap((name, index) => {
      const choices = known[index];
      return choices ? [[name, { ...(fields[name] ?? RELATION), choices }] as const] : [];
    });
    return withOptions.length === 0 ? fields : { ...fields, ...Object.fromEntries(withOptions) };
    // The key represents names and answers, so rows are redrawn only when it changes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [fields, key]);
}
