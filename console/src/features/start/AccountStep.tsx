import { type FormEvent, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { NewAccount } from '#/domain/new-host/AccountFields';
import {
  accountOf,
  EMPTY_HOST,
  errorsOf,
  missingInAccount,
  type NewHost,
  without,
} from '#/domain/new-host/api';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { readAgain } from './api';

/** Step: the account with which people work on hosts. */
export function AccountStep() {
  const t = useT();
  const [account, setAccount] = useState<NewHost>(EMPTY_HOST);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const missing = missingInAccount(account);
    setErrors(Object.fromEntries(missing.map((name) => [name, t('resource:form.required')])));
    if (missing.length > 0) return;
    setBusy(true);
    try {
      await http.post('assets/system-users/', accountOf(account), { quiet: true });
      await readAgain();
    } catch (failure) {
      setErrors(
        failure instanceof ValidationError ? errorsOf({ account: failure.fields }) : { '': explain(failure) },
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="grid max-w-(--form-max) gap-3" noValidate onSubmit={(event) => void submit(event)}>
      {errors[''] !== undefined && (
        <Note tone="danger" announce>
          {errors['']}
        </Note>
      )}
      <NewAccount
        host={account}
        errors={errors}
        set={(changes) => {
          setAccount((old) => ({ ...old, ...changes }));
          setErrors((old) => without(old, Object.keys(changes)));
        }}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" type="submit" busy={busy}>
          {t('start:account.save')}
        </Button>
      </div>
    </form>
  );
}
