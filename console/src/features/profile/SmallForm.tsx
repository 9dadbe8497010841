import { type FormEvent, type ReactNode, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';

export type Errors = Readonly<Record<string, string | undefined>>;

const NONE: readonly string[] = [];

/** A form of a few text fields. It collects their values and shows the server's errors at the fields. */
export function SmallForm({
  label,
  fields,
  required = NONE,
  submitLabel,
  save,
  children,
}: {
  readonly label: string;
  readonly fields: readonly string[];
  readonly required?: readonly string[];
  readonly submitLabel: string;
  readonly save: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly children: (errors: Errors) => ReactNode;
}) {
  const t = useT();
  const [errors, setErrors] = useState<Errors>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const values = Object.fromEntries(fields.map((name) => [name, String(data.get(name) ?? '')]));
    const missing = required.filter((name) => values[name]?.trim() === '');
    setFailure(null);
    setErrors(Object.fromEntries(missing.map((name) => [name, t('resource:form.required')])));
    if (missing.length > 0) {
      form.querySelector<HTMLElement>(`[name="${missing[0]}"]`)?.focus();
      return;
    }
    setBusy(true);
    try {
      await save(values);
      form.reset();
    } catch (error) {
      if (error instanceof ValidationError) {
        const fieldMessages = Object.entries(error.fields).filter(([name]) => fields.includes(name));
        setErrors(
          Object.fromEntries(
            fieldMessages.map(([name, text]) => [name, typeof text === 'string' ? text : explain(error)]),
          ),
        );
        if (fieldMessages.length === 0) setFailure(explain(error));
      } else setFailure(explain(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      aria-label={label}
      className="pt-card grid max-w-(--form-max) gap-3 p-5"
      noValidate
      onSubmit={submit}
    >
      {failure !== null && (
        <Note tone="danger" announce>
          {failure}
        </Note>
      )}
      {children(errors)}
      <div className="sm:pl-36">
        <Button kind="primary" type="submit" busy={busy}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}
