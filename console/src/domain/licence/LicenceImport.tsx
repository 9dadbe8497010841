import { Upload } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { browserLocation } from '#/lib/browser-location';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Field } from '#/ui/field';
import { toast } from '#/ui/toast';

interface ImportAnswer {
  readonly status: boolean;
  readonly msg: string;
}

/** Uploads a licence file and shows the server's answer. */
export function LicenceImport() {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const file = input.current?.files?.[0];
    if (!file) {
      setProblem(t('licence:choose'));
      input.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(undefined);
    const form = new FormData();
    form.append('file', file);
    try {
      const { status, msg } = await http.post<ImportAnswer>('xpack/license/import', form);
      if (status) {
        toast({ tone: 'ok', text: msg });
        // Menus and screens depend on the licence, so the guard has to run again.
        browserLocation.reload();
        return;
      }
      setProblem(msg);
    } catch {
      // The http client has already shown the error.
    }
    setBusy(false);
  };
  return (
    <form className="grid gap-3" onSubmit={submit} noValidate>
      <p className="text-ink-2">{t('licence:how')}</p>
      <Field layout="above" label={t('licence:file')} error={problem}>
        {(control) => <input {...control} ref={input} type="file" className="pt-field" />}
      </Field>
      <div>
        <Button kind="primary" type="submit" icon={Upload} busy={busy}>
          {t('licence:import')}
        </Button>
      </div>
    </form>
  );
}
