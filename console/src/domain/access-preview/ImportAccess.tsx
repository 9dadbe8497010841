import { useMemo } from 'react';
import { useT } from '#/lib/i18n';
import type { CheckedImport } from '#/resource/define';
import { AccessPreview } from './AccessPreview';
import { changesOf, type ImportedObject } from './imports';

/** What an import does to access, between its check and its start; nothing when it changes none. */
export function ImportAccess({
  object,
  rows,
}: {
  readonly object: ImportedObject;
  readonly rows: readonly CheckedImport[];
}) {
  const t = useT();
  const changes = useMemo(() => changesOf(object, rows), [object, rows]);
  if (changes.length === 0) return null;
  const title = t('access-preview:import.title');
  return (
    <section className="rounded-2 border border-line px-3.5 py-2.5" aria-label={title}>
      <h3 className="mb-1 text-meta font-semibold text-ink-2">{title}</h3>
      <AccessPreview changes={changes} />
    </section>
  );
}
