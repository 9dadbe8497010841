import { Trash2 } from 'lucide-react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { useIsRootOrganization } from '#/lib/session';
import { IconButton } from '#/ui/button';
import { removeRows } from './remove-rows';

/**
 * Formatter with a delete button: DELETE on `deleteUrl` with the value appended. Disabled in the root organization, and
 * for values that are not among `objects`.
 */
export function DeleteCell({
  deleteUrl,
  value,
  name,
  objects = 'all',
  onDeleted,
}: {
  readonly deleteUrl: string;
  /** Value of the cell, usually an id. */
  readonly value: string | number;
  /** Name of the object in the question. */
  readonly name: string;
  /** Values that may be deleted. */
  readonly objects?: 'all' | readonly (string | number)[];
  readonly onDeleted: () => void;
}) {
  const t = useT();
  const isRoot = useIsRootOrganization();
  const isPermitted = objects === 'all' || objects.includes(value);
  const reason = isRoot ? t('resource:not_in_root') : isPermitted ? undefined : t('resource:not_allowed');
  return (
    <IconButton
      kind="text"
      size="sm"
      icon={Trash2}
      label={t('resource:generic.delete', { name })}
      disabledReason={reason}
      onClick={() =>
        void removeRows([name], () =>
          http.delete(`${deleteUrl}${encodeURIComponent(String(value))}`, { quiet: true }),
        ).then((gone) => {
          if (gone) onDeleted();
        })
      }
    />
  );
}
