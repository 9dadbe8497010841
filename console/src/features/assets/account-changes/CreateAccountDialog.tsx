import { type FormEvent, useId, useState } from 'react';
import { assetOptions, systemUserOptions } from '#/domain/remotes';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { ValidationError } from '#/lib/http/errors';
import { translate, useT } from '#/lib/i18n';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field, PasswordInput, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { KeyField } from '../accounts/KeyField';

const FIELDS = ['asset', 'systemuser', 'username', 'password', 'private_key', 'comment'] as const;
type FieldName = (typeof FIELDS)[number];
type Values = Readonly<Record<FieldName, string>>;
type Problems = Partial<Readonly<Record<FieldName | 'other', string>>>;

function problemsOf(error: unknown): Problems {
  if (!(error instanceof ValidationError)) return { other: explain(error) };
  const told = FIELDS.flatMap((name) => {
    const text = error.fields[name];
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  return told.length > 0 ? Object.fromEntries(told) : { other: explain(error) };
}

function missingIn(values: Values): Problems {
  const required = translate('resource:form.required');
  return {
    ...(values.asset === '' ? { asset: required } : {}),
    ...(values.systemuser === '' && values.username.trim() === ''
      ? { username: translate('account-changes:create.needs_username') }
      : {}),
  };
}

function bodyOf(values: Values): object {
  const { asset, systemuser, username, password, private_key: key, comment } = values;
  return {
    asset,
    systemuser: systemuser === '' ? null : systemuser,
    username: username.trim(),
    comment,
    ...(password === '' ? {} : { password }),
    ...(key.trim() === '' ? {} : { private_key: key }),
  };
}

function OneOf({
  label,
  help,
  remote,
  value,
  error,
  required = false,
  onChange,
}: {
  readonly label: string;
  readonly help?: string;
  readonly remote: RemoteOptions;
  readonly value: string;
  readonly error: string | undefined;
  readonly required?: boolean;
  readonly onChange: (id: string) => void;
}) {
  return (
    <Field label={label} help={help} error={error} layout="above" required={required}>
      {(control) => (
        <RemoteSelect
          control={control}
          label={label}
          remote={remote}
          multiple={false}
          value={value === '' ? [] : [value]}
          onChange={([id]) => onChange(id ?? '')}
        />
      )}
    </Field>
  );
}

/** Asset and system user, except for the one that the page is about. */
function PairFields({
  isAssetGiven,
  isSystemUserGiven,
  values,
  problems,
  onChange,
}: {
  readonly isAssetGiven: boolean;
  readonly isSystemUserGiven: boolean;
  readonly values: Values;
  readonly problems: Problems;
  readonly onChange: (change: Partial<Values>) => void;
}) {
  const t = useT();
  return (
    <>
      {!isAssetGiven && (
        <OneOf
          label={t('account-changes:create.asset')}
          remote={assetOptions}
          value={values.asset}
          error={problems.asset}
          required
          onChange={(id) => onChange({ asset: id })}
        />
      )}
      {!isSystemUserGiven && (
        <OneOf
          label={t('account-changes:create.system_user')}
          help={t('account-changes:create.system_user_help')}
          remote={systemUserOptions}
          value={values.systemuser}
          error={problems.systemuser}
          onChange={(id) => onChange({ systemuser: id })}
        />
      )}
    </>
  );
}

function FurtherFields({
  values,
  problems,
  onChange,
  onProblem,
}: {
  readonly values: Values;
  readonly problems: Problems;
  readonly onChange: (change: Partial<Values>) => void;
  readonly onProblem: (problem: string) => void;
}) {
  const t = useT();
  return (
    <>
      <Field
        label={t('assets:account.secret.password')}
        layout="above"
        help={t('account-changes:create.password_help')}
        error={problems.password}
      >
        {(control) => (
          <PasswordInput
            {...control}
            name="password"
            maxLength={512}
            value={values.password}
            onChange={(event) => onChange({ password: event.target.value })}
          />
        )}
      </Field>
      <KeyField
        value={values.private_key}
        error={problems.private_key}
        onChange={(key) => onChange({ private_key: key })}
        onProblem={onProblem}
      />
      <Field label={t('account-changes:create.comment')} layout="above" error={problems.comment}>
        {(control) => (
          <TextInput
            {...control}
            name="comment"
            maxLength={128}
            value={values.comment}
            onChange={(event) => onChange({ comment: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

/** Creates an account: a system user on an asset, or a name that is only stored. */
export function CreateAccountDialog({
  asset,
  systemUser,
  onDone,
  onClose,
}: {
  /** The asset or system user of the page; "" is asked for. */
  readonly asset: string;
  readonly systemUser: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const [values, setValues] = useState<Values>({
    asset,
    systemuser: systemUser,
    username: '',
    password: '',
    private_key: '',
    comment: '',
  });
  const [problems, setProblems] = useState<Problems>({});
  const [busy, setBusy] = useState(false);
  const change = (more: Partial<Values>) => setValues((old) => ({ ...old, ...more }));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const missing = missingIn(values);
    setProblems(missing);
    if (Object.keys(missing).length > 0) return;
    setBusy(true);
    try {
      await http.post('assets/accounts/', bodyOf(values), { quiet: true });
    } catch (error) {
      setProblems(problemsOf(error));
      setBusy(false);
      return;
    }
    toast({ tone: 'ok', text: translate('account-changes:create.done') });
    onDone();
    onClose();
  };

  return (
    <Dialog
      isOpen
      title={t('account-changes:create.action')}
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
      <form id={form} className="grid gap-3" noValidate onSubmit={(event) => void submit(event)}>
        {problems.other !== undefined && <Note tone="danger">{problems.other}</Note>}
        <PairFields
          isAssetGiven={asset !== ''}
          isSystemUserGiven={systemUser !== ''}
          values={values}
          problems={problems}
          onChange={change}
        />
        <Field
          label={t('assets:account.secret.username')}
          layout="above"
          help={t('account-changes:create.username_help')}
          error={problems.username}
          required={values.systemuser === ''}
        >
          {(control) => (
            <TextInput
              {...control}
              name="username"
              maxLength={128}
              value={values.username}
              onChange={(event) => change({ username: event.target.value })}
            />
          )}
        </Field>
        <FurtherFields
          values={values}
          problems={problems}
          onChange={change}
          onProblem={(problem) => setProblems(problem === '' ? {} : { private_key: problem })}
        />
      </form>
    </Dialog>
  );
}
