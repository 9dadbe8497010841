import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { ScanSearch, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { fetchPage } from '#/resource/api';
import type { FormValues } from '#/resource/define';
import { systemUserOptions } from '#/domain/remotes';
import { Card } from '#/ui/card';

/** Debounce, in ms: the numbers are requested this long after the last change. */
const SETTLE_MS = 300;

function idList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Sum of one number for each id; undefined until all numbers are loaded. */
function useSum(
  kind: string,
  ids: readonly string[],
  count: (id: string) => Promise<number>,
): number | undefined {
  const results = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['preview', kind, id],
      queryFn: () => count(id),
      staleTime: 60_000,
      placeholderData: keepPreviousData,
    })),
  });
  let sum = 0;
  for (const result of results) {
    if (result.data === undefined) return undefined;
    sum += result.data;
  }
  return sum;
}

async function groupSize(id: string): Promise<number> {
  const group = await http.get<{ users_amount: number }>(`users/groups/${id}/`, { quiet: true });
  return group.users_amount;
}

async function nodeSize(id: string): Promise<number> {
  const page = await fetchPage('assets/assets/', { node_id: id, offset: 0, limit: 1 });
  return page.count;
}

async function isRisky(id: string): Promise<number> {
  const row = await http.get<Record<string, unknown>>(`assets/system-users/${id}/`, { quiet: true });
  return systemUserOptions.option(row).warn ? 1 : 0;
}

function Figure({
  value,
  label,
  warn = false,
}: {
  readonly value: number | undefined;
  readonly label: string;
  readonly warn?: boolean;
}) {
  return (
    <div
      className={`border-r border-line px-3.5 py-2.5 last:border-r-0 ${warn ? 'bg-warn-soft text-warn' : ''}`}
    >
      <p className="text-figure font-semibold tabular-nums">{value ?? '…'}</p>
      <p className={`text-meta ${warn ? '' : 'text-ink-2'}`}>{label}</p>
    </div>
  );
}

/** Effect of the permission before it is saved: numbers of people and hosts, and system users with every right. */
export function PreviewCard({ values }: { readonly values: FormValues }) {
  const t = useT();
  const settled = useSettled(
    JSON.stringify({
      users: idList(values['users']),
      groups: idList(values['user_groups']),
      assets: idList(values['assets']),
      nodes: idList(values['nodes']),
      systemUsers: idList(values['system_users']),
    }),
  );
  const chosen = JSON.parse(settled) as Record<
    'users' | 'groups' | 'assets' | 'nodes' | 'systemUsers',
    string[]
  >;
  const viaGroups = useSum('group', chosen.groups, groupSize);
  const viaNodes = useSum('node', chosen.nodes, nodeSize);
  const risky = useSum('risky', chosen.systemUsers, isRisky);
  const people = viaGroups === undefined ? undefined : chosen.users.length + viaGroups;
  const hosts = viaNodes === undefined ? undefined : chosen.assets.length + viaNodes;
  return (
    <Card
      flush
      title={
        <span className="flex items-center gap-2">
          <ScanSearch className="text-accent" aria-hidden />
          {t('perms:preview.title')}
        </span>
      }
      aside={t('perms:preview.when')}
    >
      <div className="grid grid-cols-3" aria-live="polite">
        <Figure value={people} label={t('perms:preview.people', { count: people ?? 0 })} />
        <Figure value={hosts} label={t('perms:preview.hosts', { count: hosts ?? 0 })} />
        <Figure
          value={risky}
          label={t('perms:preview.risky', { count: risky ?? 0 })}
          warn={(risky ?? 0) > 0}
        />
      </div>
      {(risky ?? 0) > 0 && (
        <p className="flex gap-2 border-t border-line px-3.5 py-2.5 text-warn">
          <TriangleAlert className="mt-0.5" aria-hidden />
          {t('perms:preview.risky_note', {
            people: t('perms:preview.risky_people', { count: people ?? 0 }),
            count: hosts ?? 0,
          })}
        </p>
      )}
      <p className="border-t border-line px-3.5 py-2 text-meta text-ink-3">{t('perms:preview.overlap')}</p>
    </Card>
  );
}
