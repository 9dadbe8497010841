import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { ValidationError } from '#/lib/http/errors';
import { translate, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field, PasswordInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { accountName, type AccountRow } from './account-row';
import { KeyField } from './KeyField';

interface Problems {
  readonly password?: string;
  readonly private_key?: string;
  readonly other?: string;
}

function problemsOf(error: unknown): Problems {
  if (!(error instanceof ValidationError)) return { other: explain(error) };
  const { password, private_key: key } = error.fields;
  const problems = {
    ...(typeof password === 'string' ? { password } : {}),
    ...(typeof key === 'string' ? { private_key: key } : {}),
  };
  return Object.keys(problems).length > 0 ? problems : { other: explain(error) };
}

/** Gives the account a password or a private key of its own. */
export function UpdateSecretDialog({
  row,
  onClose,
  onDone,
}: {
  readonly row: AccountRow;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const t = useT();
  const form = useId();
  const [password, setPassword] = useState('');
  const [key, setKey] = useState('');
  const [problems, setProblems] = useState<Problems>({});
  const [busy, setBusy] = useState(false);
  const name = accountName(row);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (password === '' && key.trim() === '') {
      setProblems({ password: t('assets:account.update.nothing') });
      return;
    }
    setBusy(true);
    try {
      const body = {
        ...(password === '' ? {} : { password }),
        ...(key.trim() === '' ? {} : { private_key: key }),
      };
      await http.patch(`assets/accounts/${row.id}/`, body, { quiet: true });
    } catch (error) {
      setProblems(problemsOf(error));
      setBusy(false);
      return;
    }
    toast({ tone: 'ok', text: translate('assets:account.update.done', { name }) });
    onDone();
    onClose();
  };

  return (
    <Dialog
      isOpen
      title={t('assets:account.update.title', { name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {t('resource:form.save')}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-3" noValidate onSubmit={submit} aria-busy={busy}>
        <p className="text-ink-2">
          {row.systemuser === null
            ? t('assets:account.update.effect_alone')
            : t('assets:account.update.effect', { name: row.systemuser_display })}
        </p>
        {problems.other !== undefined && <Note tone="danger">{problems.other}</Note>}
        <Field
          label={t('assets:account.secret.password')}
          layout="above"
          help={t('assets:account.update.password_help')}
          error={problems.password}
        >
          {(control) => (
            <PasswordInput
              {...control}
              autoFocus
              name="password"
              maxLength={512}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <KeyField
          value={key}
          error={problems.private_key}
          onChange={setKey}
          onProblem={(problem) => setProblems(problem === '' ? {} : { private_key: problem })}
        />
      </form>
    </Dialog>
  );
}
