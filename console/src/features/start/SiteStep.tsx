import { type FormEvent, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Field, TextInput } from '#/ui/field';
import { readAgain } from './api';

/** Suggests the address under which this page was opened. */
export function SiteStep({ siteUrl }: { readonly siteUrl: string }) {
  const t = useT();
  const [address, setAddress] = useState(location.origin);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    if (address.trim() === '') {
      setError(t('resource:form.required'));
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      await http.patch('settings/setting/?category=basic', { SITE_URL: address.trim() }, { quiet: true });
      await readAgain();
    } catch (failure) {
      const field = failure instanceof ValidationError ? failure.fields['SITE_URL'] : undefined;
      setError(typeof field === 'string' ? field : explain(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="grid max-w-(--form-max) gap-3" noValidate onSubmit={(event) => void submit(event)}>
      <Field
        label={t('start:site.label')}
        help={t('start:site.help', { address: siteUrl })}
        error={error}
        layout="above"
        required
      >
        {(control) => (
          <TextInput
            {...control}
            type="url"
            className="font-mono"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button kind="primary" type="submit" busy={busy}>
          {t('start:site.save')}
        </Button>
      </div>
    </form>
  );
}
