import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import type { FormMode } from '../define';

/** What can be done with a form. “Save and add another” belongs to new objects, “Reset” to existing ones. */
export function SaveBar({
  mode,
  busy,
  disabled,
  onAgain,
  onReset,
  onCancel,
}: {
  readonly mode: FormMode;
  readonly busy: boolean;
  readonly disabled: boolean;
  readonly onAgain: () => void;
  readonly onReset: () => void;
  readonly onCancel: () => void;
}) {
  const t = useT();
  return (
    <div className="sticky bottom-0 z-(--z-sticky) -mx-1 flex flex-wrap gap-2 border-t border-line bg-bg px-1 py-3">
      <Button kind="primary" type="submit" busy={busy} disabled={disabled}>
        {t(busy ? 'resource:form.saving' : 'resource:form.save')}
      </Button>
      {mode === 'create' && (
        <Button disabled={busy || disabled} onClick={onAgain}>
          {t('resource:form.save_and_add')}
        </Button>
      )}
      {mode === 'update' && (
        <Button disabled={busy} onClick={onReset}>
          {t('resource:form.reset')}
        </Button>
      )}
      <Button kind="text" onClick={onCancel}>
        {t('ui:cancel')}
      </Button>
    </div>
  );
}
