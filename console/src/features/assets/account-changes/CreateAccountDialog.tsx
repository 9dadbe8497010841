import { useState } from 'react';
import { CredentialDialog } from '#/domain/credential-form/CredentialDialog';
import { CredentialPassword, CredentialText } from '#/domain/credential-form/fields';
import { problemsIn, type Problems } from '#/domain/credential-form/problems';
import { assetOptions, systemUserOptions } from '#/domain/remotes';
import { http } from '#/lib/http/client';
import { translate, useT } from '#/lib/i18n';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { Field } from '#/ui/field';
import { KeyField } from '../accounts/KeyField';
import { secretOf } from '../accounts/secret-of';

const FIELDS = ['asset', 'systemuser', 'username', 'password', 'private_key', 'comment'] as const;
type FieldName = (typeof FIELDS)[number];
type Values = Readonly<Record<FieldName, string>>;
function missingIn(values: Values): Problems<FieldName> {
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
    ...secretOf(password, key),
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

/** Asset and system user, without the object that the page shows. */
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
  readonly problems: Problems<FieldName>;
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

function CredentialFields({
  values,
  problems,
  onChange,
  onProblem,
}: {
  readonly values: Values;
  readonly problems: Problems<FieldName>;
  readonly onChange: (change: Partial<Values>) => void;
  readonly onProblem: (problem: string) => void;
}) {
  const t = useT();
  return (
    <>
      <CredentialText
        label={t('accounts:secret.username')}
        name="username"
        help={t('account-changes:create.username_help')}
        value={values.username}
        error={problems.username}
        required={values.systemuser === ''}
        onChange={(username) => onChange({ username })}
      />
      <CredentialPassword
        label={t('accounts:secret.password')}
        help={t('account-changes:create.password_help')}
        value={values.password}
        error={problems.password}
        onChange={(password) => onChange({ password })}
      />
      <KeyField
        value={values.private_key}
        error={problems.private_key}
        onChange={(key) => onChange({ private_key: key })}
        onProblem={onProblem}
      />
      <CredentialText
        label={t('account-changes:create.comment')}
        name="comment"
        value={values.comment}
        error={problems.comment}
        onChange={(comment) => onChange({ comment })}
      />
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
  const [values, setValues] = useState<Values>({
    asset,
    systemuser: systemUser,
    username: '',
    password: '',
    private_key: '',
    comment: '',
  });
  const change = (more: Partial<Values>) => setValues((old) => ({ ...old, ...more }));

  return (
    <CredentialDialog<FieldName>
      title={t('account-changes:create.action')}
      missing={() => missingIn(values)}
      save={() => http.post('assets/accounts/', bodyOf(values), { quiet: true })}
      problemsOf={(error) => problemsIn(error, FIELDS)}
      done={t('account-changes:create.done')}
      onDone={onDone}
      onClose={onClose}
    >
      {(problems, setProblems) => (
        <>
          <PairFields
            isAssetGiven={asset !== ''}
            isSystemUserGiven={systemUser !== ''}
            values={values}
            problems={problems}
            onChange={change}
          />
          <CredentialFields
            values={values}
            problems={problems}
            onChange={change}
            onProblem={(problem) => setProblems(problem === '' ? {} : { private_key: problem })}
          />
        </>
      )}
    </CredentialDialog>
  );
}
