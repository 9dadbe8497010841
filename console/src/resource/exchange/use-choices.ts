import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { currentSession } from '#/lib/session';
import { type Choice, type FieldMap, type FieldMeta, fetchPage } from '../api';
import type { FieldSpec } from '../define';
import type { RunSnapshot } from './import-run';

/** Objects that are compared with a wrong value; among more of them a slip can not be told from another name. */
const MOST_OBJECTS = 200;

const RELATION: FieldMeta = { type: 'field', required: false, read_only: false, label: '' };

/** Fields that some row failed at. */
function failedFields(run: RunSnapshot): readonly string[] {
  const found = new Set<string>();
  for (const index of run.inNeed)
    for (const { field } of run.rows[index]?.problems ?? []) if (field !== null) found.add(field);
  return [...found];
}

/**
 * The metadata with the possible values of relations that rows have failed at, fetched once each. `specs`: how forms choose
 * among them.
 */
export function useChoices(
  run: RunSnapshot,
  fields: FieldMap,
  specs: Readonly<Record<string, FieldSpec>>,
): FieldMap {
  const names = run.counts.error === 0 ? [] : failedFields(run).filter((name) => specs[name]?.remote);
  const answers = useQueries({
    queries: names.map((name) => {
      const { api = '', query = {}, option } = specs[name]?.remote ?? {};
      return {
        queryKey: ['import-choices', name, api, query, currentSession()?.organization.id],
        // A remedy is a courtesy: without it the row says what is wrong all the same.
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
    const found = names.flatMap((name, index) => {
      const choices = known[index];
      return choices ? [[name, { ...(fields[name] ?? RELATION), choices }] as const] : [];
    });
    return found.length === 0 ? fields : { ...fields, ...Object.fromEntries(found) };
    // What matters of names and answers is in the key; lines are drawn again only when it changes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [fields, key]);
}
