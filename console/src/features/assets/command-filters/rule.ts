import { useQuery } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { fetchPage } from '#/resource/api';
import { objectPath } from '#/resource/routes';
import { commandFilterRulePaths } from '../addresses';

export type RuleRow = Pick<
  Api<'CommandFilterRule'>,
  'id' | 'type' | 'type_display' | 'content' | 'priority' | 'action' | 'action_display' | 'comment'
>;

/** A filter holds at most this many rules. */
const MAX_RULES = 100;

export function rulesApi(filterId: string): string {
  return `assets/cmd-filters/${filterId}/rules/`;
}

/** The rules of a filter, those that decide first at the beginning. */
export function useRules(filterId: string) {
  return useQuery({
    queryKey: ['list', rulesApi(filterId), 'in force'],
    queryFn: ({ signal }) => fetchPage<RuleRow>(rulesApi(filterId), { offset: 0, limit: MAX_RULES }, signal),
    staleTime: 0,
  });
}

export function newRulePath(filterId: string): string {
  return `${commandFilterRulePaths.create}?filter=${filterId}`;
}

export function rulePath(filterId: string, ruleId: string): string {
  return `${objectPath(commandFilterRulePaths.update, ruleId)}?filter=${filterId}`;
}

/** The first line of a rule, which represents the rule in lists. */
export function titleOf(content: string): string {
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 ? `${lines[0]} … (${lines.length})` : (lines[0] ?? '');
}
