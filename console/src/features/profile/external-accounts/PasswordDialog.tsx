import { type FormEvent, useState } from 'react';
import { browserLocation } from '#/lib/browser-location';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { unbindOwn } from '#/domain/external/api';
import { type ProviderName, startAddress } from '#/domain/external/providers';
import { verifyPassword } from '#/domain/mfa/api';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field, PasswordInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';

/** Asks for the password before an account is bound (the browser then goes to the provider) or unbound. */
export function PasswordDialog({
  provider,
  step,
  onClose,
}: {
  readonly provider: ProviderName;
  readonly step: 'bind' | 'unbind';
  readonly onClose: (changed: boolean) => void;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [missing, setMissing] = useState<string | undefined>();
  const name = t(`external:name.${provider}`);

  const proceed = async (password: string) => {
    await verifyPassword(password);
    if (step === 'bind') {
      browserLocation.assign(startAddress(provider, 'bind', null));
      return;
    }
    const { msg } = await unbindOwn(provider);
    toast({ tone: 'ok', text: msg });
    onClose(true);
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const password = String(new FormData(event.currentTarget).get('password') ?? '');
    setMissing(password === '' ? t('external:dialog.required') : undefined);
    setFailure(null);
    if (password === '') return;
    setBusy(true);
    try {
      await proceed(password);
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
    }
  };

  // i18n: external:name.*
  // i18n: external:dialog.*
  return (
    <Dialog
      isOpen
      size="text"
      title={t(`external:card.${step}_it`, { provider: name })}
      onClose={() => onClose(false)}
    >
      <form className="grid gap-3" noValidate onSubmit={submit} aria-busy={busy}>
        <p className="text-ink-2">{t(`external:dialog.${step}_why`, { provider: name })}</p>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        <Field layout="above" label={t('external:dialog.password')} error={missing} required>
          {(control) => (
            <PasswordInput {...control} name="password" autoComplete="current-password" autoFocus />
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => onClose(false)}>{t('ui:cancel')}</Button>
          <Button kind={step === 'unbind' ? 'danger-solid' : 'primary'} type="submit" busy={busy}>
            {t(step === 'unbind' ? 'external:card.unbind' : 'external:dialog.go_on')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
