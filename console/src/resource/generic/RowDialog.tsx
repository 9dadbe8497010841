import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import type { FieldMeta } from '../api';
import type { FieldSpec, FormValues } from '../define';
import { FieldControl } from '../form/FieldControl';
import { errorText, initialValues, objectValues, payloadOf } from '../form/values';

export type DialogMode = 'new' | 'edit' | 'view';

/** A field of the dialog, described as in the forms of resources. */
export interface DialogField {
  readonly name: string;
  readonly meta: FieldMeta;
  readonly spec?: FieldSpec;
}

// i18n: resource:generic.title.*

/**
 * One row in a dialog: new, edit, or view (read-only, without confirm button). The dialog stays open when confirming
 * fails.
 */
export function RowDialog({
  mode,
  noun,
  fields,
  values,
  onConfirm,
  onClose,
}: {
  readonly mode: DialogMode;
  /** Name of a row, for the title. */
  readonly noun: string;
  readonly fields: readonly DialogField[];
  /** The row; absent for a new row. */
  readonly values?: FormValues;
  /** Saves the values; the dialog closes when the promise resolves. */
  readonly onConfirm: (values: FormValues) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const t = useT();
  const names = fields.map((field) => field.name);
  const metas = Object.fromEntries(fields.map((field) => [field.name, field.meta]));
  const specs = Object.fromEntries(fields.map((field) => [field.name, field.spec ?? {}]));
  const [start] = useState(() =>
    values ? objectValues(values, names, metas, specs) : initialValues(metas, names, {}, specs),
  );
  const form = useForm<FormValues>({ defaultValues: start, mode: 'onBlur', reValidateMode: 'onChange' });
  const [general, setGeneral] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const isView = mode === 'view';
  const confirm = async () => {
    setGeneral(null);
    setBusy(true);
    try {
      await onConfirm(payloadOf(form.getValues(), names, metas, specs));
      onClose();
    } catch (error) {
      if (error instanceof ValidationError) {
        const others: string[] = [];
        for (const [field, problem] of Object.entries(error.fields)) {
          if (names.includes(field)) form.setError(field, { type: 'server', message: errorText(problem) });
          else others.push(errorText(problem));
        }
        if (others.length > 0) setGeneral(others.join('; '));
      } else setGeneral(explain(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      title={t(`resource:generic.title.${mode}`, { noun })}
      onClose={onClose}
      footer={
        isView ? undefined : (
          <>
            <Button onClick={onClose}>{t('ui:cancel')}</Button>
            <Button kind="primary" busy={busy} onClick={() => void form.handleSubmit(confirm)()}>
              {t('ui:confirm')}
            </Button>
          </>
        )
      }
    >
      <form
        noValidate
        className="grid gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isView) void form.handleSubmit(confirm)();
        }}
      >
        {general !== null && (
          <Note tone="danger" announce>
            {general}
          </Note>
        )}
        {fields.map((field) => (
          <FieldControl
            key={field.name}
            name={field.name}
            meta={field.meta}
            spec={isView ? { ...field.spec, isDisabled: () => true } : (field.spec ?? {})}
            form={form.control}
            context={{ mode: mode === 'new' ? 'create' : 'update', values: form.getValues() }}
          />
        ))}
        {/* Enter in a field confirms, like the button below. */}
        {!isView && <button type="submit" hidden aria-hidden tabIndex={-1} />}
      </form>
    </Dialog>
  );
}
