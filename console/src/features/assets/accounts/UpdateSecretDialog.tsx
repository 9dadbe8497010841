import { useState } from 'react';
import { CredentialDialog } from '#/domain/credential-form/CredentialDialog';
import { CredentialPassword } from '#/domain/credential-form/fields';
import { problemsIn } from '#/domain/credential-form/problems';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { accountName, type AccountRow } from './account-row';
import { KeyField } from './KeyField';
import { secretOf } from './secret-of';

const FIELDS = ['password', 'private_key'] as const;

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
  const [password, setPassword] = useState('');
  const [key, setKey] = useState('');
  const name = accountName(row);
  const secret = secretOf(password, key);
  return (
    <CredentialDialog<(typeof FIELDS)[number]>
      title={t('accounts:update.title', { name })}
      effect={
        row.systemuser === null
          ? t('accounts:update.effect_alone')
          : t('accounts:update.effect', { name: row.systemuser_display })
      }
      missing={() => (Object.keys(secret).length === 0 ? { password: t('accounts:update.nothing') } : {})}
      save={() => http.patch(`assets/accounts/${row.id}/`, secret, { quiet: true })}
      problemsOf={(error) => problemsIn(error, FIELDS)}
      done={t('accounts:update.done', { name })}
      onDone={onDone}
      onClose={onClose}
    >
      {(problems, setProblems) => (
        <>
          <CredentialPassword
            autoFocus
            label={t('accounts:secret.password')}
            help={t('accounts:update.password_help')}
            value={password}
            error={problems.password}
            onChange={setPassword}
          />
          <KeyField
            value={key}
            error={problems.private_key}
            onChange={setKey}
            onProblem={(problem) => setProblems(problem === '' ? {} : { private_key: problem })}
          />
        </>
      )}
    </CredentialDialog>
  );
}
