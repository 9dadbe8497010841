import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { DateTimeInput } from '#/ui/dates/DateTimeInput';
import { instantOf, readTyped } from '#/ui/dates/typed';
import { Dialog } from '#/ui/dialog';
import { Field, TextInput } from '#/ui/field';

const MOST_CHARACTERS = 512;

interface Problems {
  readonly reason?: string;
  readonly end?: string;
}

function problemsOf(error: unknown): Problems {
  const fields = error instanceof ValidationError ? error.fields : {};
  const { reason, date_end: end } = fields;
  if (typeof end === 'string') return { end };
  return { reason: typeof reason === 'string' ? reason : explain(error) };
}

/** Asks for the reason of a hold, or of its removal; `withEnd` also until when. */
export function HoldDialog({
  title,
  effect,
  confirmLabel,
  withEnd = false,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly effect: string;
  readonly confirmLabel: string;
  readonly withEnd?: boolean;
  /** `dateEnd` is ISO 8601, or null for no end. */
  readonly onConfirm: (reason: string, dateEnd: string | null) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState('');
  const [problems, setProblems] = useState<Problems>({});
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const typed = end === '' ? null : readTyped(end.replace('T', ' '), 'datetime', { min: new Date() });
    const refused: Problems = {
      ...(reason.trim() === '' ? { reason: t('resource:form.required') } : {}),
      ...(typed && 'problem' in typed ? { end: t(typed.problem.key, typed.problem.values) } : {}),
    };
    setProblems(refused);
    if (Object.keys(refused).length > 0) return;
    setBusy(true);
    try {
      await onConfirm(reason.trim(), end === '' ? null : instantOf(end).toISOString());
      onClose();
    } catch (error) {
      setProblems(problemsOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      size="text"
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-3" onSubmit={(event) => void submit(event)} noValidate>
        <p>{effect}</p>
        <Field
          label={t('holds:reason')}
          help={t('holds:reason_help')}
          layout="above"
          error={problems.reason}
          required
        >
          {(control) => (
            <TextInput
              {...control}
              autoFocus
              maxLength={MOST_CHARACTERS}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
        {withEnd && (
          <Field label={t('holds:end')} help={t('holds:end_help')} layout="above" error={problems.end}>
            {(control) => (
              <DateTimeInput {...control} calendarLabel={t('holds:end')} value={end} onChange={setEnd} />
            )}
          </Field>
        )}
      </form>
    </Dialog>
  );
}
