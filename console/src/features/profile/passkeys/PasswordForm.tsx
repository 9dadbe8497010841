import { type FormEvent, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Field, PasswordInput } from '#/ui/field';
import { Note } from '#/ui/note';

/** Asks for the password before a change. A refusal is shown, and the password can be entered again. */
export function PasswordForm({
  why,
  submitLabel,
  danger = false,
  asksPassword = true,
  ofDirectory = false,
  submit,
}: {
  /** What the change means. */
  readonly why?: string;
  readonly submitLabel: string;
  readonly danger?: boolean;
  /** False for a person who has confirmed at their provider who they are. */
  readonly asksPassword?: boolean;
  /** The password is that of the person's directory. */
  readonly ofDirectory?: boolean;
  readonly submit: (password: string) => Promise<void>;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState<string | undefined>();
  const [failure, setFailure] = useState<string | null>(null);
  const run = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const password = String(new FormData(event.currentTarget).get('password') ?? '');
    const isMissing = asksPassword && password === '';
    setMissing(isMissing ? t('passkeys:dialog.required') : undefined);
    setFailure(null);
    if (isMissing) return;
    setBusy(true);
    try {
      await submit(password);
    } catch (error) {
      setFailure(explain(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="grid gap-3" noValidate onSubmit={run} aria-busy={busy}>
      {why !== undefined && <p className="text-ink-2">{why}</p>}
      {failure !== null && (
        <Note tone="danger" announce>
          {failure}
        </Note>
      )}
      {asksPassword && (
        <Field
          layout="above"
          label={t(ofDirectory ? 'passkeys:dialog.directory_password' : 'passkeys:dialog.password')}
          error={missing}
          required
        >
          {(control) => (
            <PasswordInput {...control} name="password" autoComplete="current-password" autoFocus />
          )}
        </Field>
      )}
      <Button kind={danger ? 'danger-solid' : 'primary'} type="submit" busy={busy}>
        {submitLabel}
      </Button>
    </form>
  );
}
