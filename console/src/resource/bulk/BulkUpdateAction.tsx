import { SquarePen } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import { useIsRootOrganization } from '#/lib/session';
import { Button } from '#/ui/button';
import type { ActionTools, Resource, ResourceDefinition } from '../define';

// The dialog brings the controls of all forms: not part of a list's first paint.
const BulkUpdateDialog = lazy(async () => {
  const [part] = await Promise.all([import('./BulkUpdateDialog'), loadNamespaces(['bulk'])]);
  return { default: part.BulkUpdateDialog };
});

/** Gives the selected rows the same values of some fields. Absent unless the definition names such fields. */
export function BulkUpdateAction<Row extends Resource>({
  resource,
  api,
  chosen,
  onChosen,
  tools,
}: {
  readonly resource: ResourceDefinition<Row>;
  /** List path that takes the PATCH. */
  readonly api: string;
  /** Selected rows, also of other pages: name by id. */
  readonly chosen: ReadonlyMap<string, string>;
  /** The selection afterwards: the rows that failed. */
  readonly onChosen: (chosen: ReadonlyMap<string, string>) => void;
  readonly tools: ActionTools;
}) {
  const t = useT();
  const isRoot = useIsRootOrganization();
  const [open, setOpen] = useState(false);
  const { bulkUpdate } = resource.list;
  if (!bulkUpdate) return null;
  return (
    <>
      <Button
        kind="text"
        icon={SquarePen}
        disabledReason={isRoot ? t('resource:not_in_root') : undefined}
        onClick={() => setOpen(true)}
      >
        {t('resource:action.update')}
      </Button>
      {open && (
        <Suspense>
          <BulkUpdateDialog
            api={api}
            noun={resource.noun}
            fields={bulkUpdate.fields}
            specs={{ ...resource.form?.fields, ...bulkUpdate.specs }}
            chosen={chosen}
            onClose={() => setOpen(false)}
            onUpdated={(left) => {
              onChosen(left);
              tools.refresh();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
