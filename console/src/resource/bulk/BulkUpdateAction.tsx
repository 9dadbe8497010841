import { SquarePen } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import type { ActionTools, Resource, ResourceDefinition } from '../define';
import { useBarsWrites } from '../use-bars-writes';

// Loaded on demand: the dialog needs the controls of all forms, which a list does not.
const BulkUpdateDialog = lazy(async () => {
  const [part] = await Promise.all([import('./BulkUpdateDialog'), loadNamespaces(['bulk'])]);
  return { default: part.BulkUpdateDialog };
});

/** Action that sets the same values for all selected rows. Renders nothing unless the definition names bulk fields. */
export function BulkUpdateAction<Row extends Resource>({
  resource,
  api,
  chosen,
  onChosen,
  tools,
}: {
  readonly resource: ResourceDefinition<Row>;
  /** List path that receives the PATCH. */
  readonly api: string;
  /** Selected rows, including those of other pages: name by id. */
  readonly chosen: ReadonlyMap<string, string>;
  /** The selection afterwards: the failed rows. */
  readonly onChosen: (chosen: ReadonlyMap<string, string>) => void;
  readonly tools: ActionTools;
}) {
  const t = useT();
  const isRoot = useBarsWrites(resource);
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
            effect={bulkUpdate.effect}
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
