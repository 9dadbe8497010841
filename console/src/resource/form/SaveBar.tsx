import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import type { FormMode } from '../define';

/**
 * Buttons of a form, across the page and always visible. “Save and add another” is for new objects, “Reset” for
 * existing ones.
 */
export function SaveBar({
  form,
  mode,
  busy,
  disabled,
  onAgain,
  onReset,
  onCancel,
}: {
  /** Id of the form element that the buttons submit. */
  readonly form: string;
  readonly mode: FormMode;
  readonly busy: boolean;
  readonly disabled: boolean;
  readonly onAgain: () => void;
  readonly onReset: () => void;
  readonly onCancel: () => void;
}) {
  const t = useT();
  return (
    <div className="sticky bottom-0 z-(--z-sticky) -mx-5 mt-3 -mb-5 flex flex-wrap gap-2 border-t border-line bg-surface-1 px-5 py-2.5 max-sm:-mx-3 max-sm:-mb-3 max-sm:px-3">
      <Button kind="primary" type="submit" form={form} busy={busy} disabled={disabled}>
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
