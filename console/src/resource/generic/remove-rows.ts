import { translate } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

/**
 * Asks, deletes and reports. Resolves to true when the rows are deleted. A failure is logged as a warning and rethrown
 * to the question, which stays open for another try.
 */
export function removeRows(names: readonly string[], remove: () => Promise<unknown>): Promise<boolean> {
  const count = names.length;
  return confirm({
    title: translate('resource:generic.confirm_delete'),
    effect: translate('resource:delete.effect'),
    names,
    confirmLabel: translate('resource:delete.confirm'),
    danger: true,
    failed: (reason) => translate('resource:delete.failed', { reason }),
    run: async () => {
      try {
        await remove();
      } catch (error) {
        // oxlint-disable-next-line no-console -- the specification (section 8) asks for this warning
        console.warn('delete failed', error);
        throw error;
      }
      toast({
        tone: 'ok',
        text:
          count === 1
            ? translate('resource:delete.done', { name: names[0] })
            : translate('resource:bulk_delete.done', { count }),
      });
    },
  });
}
