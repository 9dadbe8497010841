import { type FormEvent, useState } from 'react';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { parseTime } from '#/lib/time';
import { DateTimeInput } from '#/ui/dates/DateTimeInput';
import { expiryShortcuts } from '#/ui/dates/shortcuts';
import { fieldValue, instantOf, readTyped } from '#/ui/dates/typed';
import { Field, TextInput } from '#/ui/field';
import type { AccessKey, KeyChanges } from './api';

const MOST_CHARS = 128;

/** Comment and end of a key; `stored` is absent for a new key. Only what was changed is passed on. */
export function KeyForm({
  id,
  stored,
  onSubmit,
}: {
  readonly id: string;
  readonly stored?: AccessKey;
  /** Resolves to the refusal that belongs to fields, if any. */
  readonly onSubmit: (changes: KeyChanges) => Promise<ValidationError | undefined>;
}) {
  const t = useT();
  const storedEnd = parseTime(stored?.date_expired);
  const before = storedEnd ? fieldValue(storedEnd, 'datetime') : '';
  const [comment, setComment] = useState(stored?.comment ?? '');
  const [end, setEnd] = useState(before);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const typed = end === '' ? null : readTyped(end, 'datetime');
    if (typed && 'problem' in typed) {
      setErrors({ date_expired: t(typed.problem.key, typed.problem.values) });
      return;
    }
    const refusal = await onSubmit({
      ...(comment === (stored?.comment ?? '') ? {} : { comment }),
      ...(end === before ? {} : { date_expired: typed ? instantOf(typed.value).toISOString() : null }),
    });
    setErrors(
      refusal
        ? Object.fromEntries(
            Object.entries(refusal.fields).map(([name, texts]) => [name, [texts].flat().join(' ')]),
          )
        : {},
    );
  };

  return (
    <form id={id} noValidate className="grid gap-3" onSubmit={(event) => void submit(event)}>
      <Field
        label={t('access-keys:column.comment')}
        help={t('access-keys:comment_help')}
        error={errors['comment']}
      >
        {(control) => (
          <TextInput
            {...control}
            value={comment}
            maxLength={MOST_CHARS}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={t('access-keys:column.date_expired')}
        help={t('access-keys:end_help')}
        error={errors['date_expired']}
      >
        {(control) => (
          <DateTimeInput
            {...control}
            calendarLabel={t('access-keys:column.date_expired')}
            shortcuts={expiryShortcuts(() => '')}
            value={end}
            onChange={setEnd}
          />
        )}
      </Field>
    </form>
  );
}
