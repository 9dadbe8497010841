import { type FormEvent, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Field, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';

/** Asks for the name of a passkey; `save` stores it. `textOf`: the text of a failure. */
export function PasskeyNameForm({
  name,
  submitLabel,
  size = 'md',
  save,
  textOf,
}: {
  readonly name: string;
  readonly submitLabel: string;
  readonly size?: 'md' | 'lg';
  readonly save: (name: string) => Promise<void>;
  readonly textOf: (error: unknown) => string;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState<string | undefined>();
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const typed = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    setMissing(typed === '' ? t('passkeys:dialog.required') : undefined);
    setFailure(null);
    if (typed === '') return;
    setBusy(true);
    try {
      await save(typed);
    } catch (error) {
      setFailure(textOf(error));
      setBusy(false);
    }
  };
  return (
    <form className="grid gap-3" noValidate onSubmit={submit} aria-busy={busy}>
      {failure !== null && (
        <Note tone="danger" announce>
          {failure}
        </Note>
      )}
      <Field
        layout="above"
        label={t('passkeys:name')}
        help={t('passkeys:name_help')}
        error={missing}
        required
      >
        {(control) => (
          <TextInput
            {...control}
            name="name"
            defaultValue={name}
            maxLength={64}
            autoFocus
            className={size === 'lg' ? 'pt-field-lg' : ''}
          />
        )}
      </Field>
      <Button kind="primary" size={size} type="submit" busy={busy}>
        {busy ? t('passkeys:waiting') : submitLabel}
      </Button>
    </form>
  );
}
