import { Field, PasswordInput, TextInput } from '#/ui/field';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  readonly help?: string;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  /** Name of the input, by which browsers remember values. */
  readonly name?: string;
}

/** A line of text of a credential: its username, a comment. */
export function CredentialText({
  name,
  value,
  onChange,
  autoFocus,
  ...field
}: FieldProps & { readonly name: string }) {
  return (
    <Field {...field} layout="above">
      {(control) => (
        <TextInput
          {...control}
          name={name}
          maxLength={128}
          autoFocus={autoFocus}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export function CredentialPassword({ name = 'password', value, onChange, autoFocus, ...field }: FieldProps) {
  return (
    <Field {...field} layout="above">
      {(control) => (
        <PasswordInput
          {...control}
          name={name}
          maxLength={512}
          autoFocus={autoFocus}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
