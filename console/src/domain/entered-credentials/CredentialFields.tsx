import { useT } from '#/lib/i18n';
import { Field, PasswordInput, TextInput } from '#/ui/field';
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
        <Field
          label={t('entered-credentials:username')}
          layout="above"
          error={problems.username}
          required={required}
        >
          {(control) => (
            <TextInput
              {...control}
              name="target-username"
              maxLength={128}
              value={value.username}
              onChange={(event) => onChange({ ...value, username: event.target.value })}
            />
          )}
        </Field>
      )}
      <Field
        label={t('entered-credentials:password')}
        layout="above"
        help={passwordHelp}
        error={problems.password ?? (asksUsername ? undefined : problems.username)}
        required={required}
      >
        {(control) => (
          <PasswordInput
            {...control}
            name="target-password"
            maxLength={512}
            value={value.password}
            onChange={(event) => onChange({ ...value, password: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
