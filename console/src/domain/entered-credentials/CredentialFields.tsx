import { useT } from '#/lib/i18n';
import { CredentialPassword, CredentialText } from '#/domain/credential-form/fields';
import type { CredentialProblems, TypedCredential } from './api';

/** Username and password on the target. Nothing remembers them: the browser is asked not to. */
export function CredentialFields({
  asksUsername,
  value,
  problems,
  onChange,
  passwordHelp,
  required = false,
}: {
  /** Whether the system user leaves the username to the person. */
  readonly asksUsername: boolean;
  readonly value: TypedCredential;
  readonly problems: CredentialProblems;
  readonly onChange: (value: TypedCredential) => void;
  readonly passwordHelp?: string;
  readonly required?: boolean;
}) {
  const t = useT();
  return (
    <>
      {asksUsername && (
        <CredentialText
          label={t('entered-credentials:username')}
          name="target-username"
          value={value.username}
          error={problems.username}
          required={required}
          onChange={(username) => onChange({ ...value, username })}
        />
      )}
      <CredentialPassword
        label={t('entered-credentials:password')}
        name="target-password"
        value={value.password}
        help={passwordHelp}
        error={problems.password ?? (asksUsername ? undefined : problems.username)}
        required={required}
        onChange={(password) => onChange({ ...value, password })}
      />
    </>
  );
}
