import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { http } from '#/lib/http/client';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import type { CheckedImport } from '#/resource/define';
import { Note } from '#/ui/note';
import { AccessPreview } from './AccessPreview';
import { changesOf, type GroupIds, type ImportedObject, namesGroups, uncountedIn } from './imports';

const NO_GROUPS: GroupIds = new Map();

/** All groups of the organization by name: a file names them, and a preview takes ids. */
async function loadGroupIds(): Promise<GroupIds> {
  const rows = await http.get<readonly { readonly id: string; readonly name: string }[]>('users/groups/', {
    query: { fields_size: 'mini' },
    quiet: true,
  });
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** What an import does to access, between its check and its start; nothing when it changes none. */
export function ImportAccess({
  object,
  rows,
}: {
  readonly object: ImportedObject;
  readonly rows: readonly CheckedImport[];
}) {
  const t = useT();
  const asksGroups = namesGroups(object, rows);
  const groups = useQuery({
    queryKey: ['access-preview', 'groups'],
    queryFn: loadGroupIds,
    enabled: asksGroups,
  });
  const groupIds = groups.data ?? NO_GROUPS;
  const changes = useMemo(() => changesOf(object, rows, groupIds), [object, rows, groupIds]);
  const uncounted = uncountedIn(object, rows);
  const isIncomplete = asksGroups && !groups.data;
  if (changes.length === 0 && uncounted === null && !isIncomplete) return null;
  const title = t('access-preview:import.title');
  // i18n: access-preview:import.new_*
  return (
    <section className="rounded-2 border border-line px-3.5 py-2.5" aria-label={title}>
      <h3 className="mb-1 text-meta font-semibold text-ink-2">{title}</h3>
      {groups.error && (
        <Note tone="warn">{t('access-preview:failed', { reason: explain(groups.error) })}</Note>
      )}
      {isIncomplete && !groups.error && (
        <p className="text-ink-3" role="status">
          {t('access-preview:loading')}
        </p>
      )}
      {changes.length > 0 && !isIncomplete && <AccessPreview changes={changes} />}
      {uncounted && <p className="text-ink-2">{t(`access-preview:import.new_${uncounted}`)}</p>}
    </section>
  );
}
