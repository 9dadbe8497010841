import { useT } from '#/lib/i18n';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { Field, PasswordInput, TextArea, TextInput } from '#/ui/field';
import type { NewHost } from './api';

/** Props of each section of the form. */
export interface FormPart {
  readonly host: NewHost;
  readonly errors: Readonly<Record<string, string>>;
  readonly set: (changes: Partial<NewHost>) => void;
}

type TextName = 'address' | 'port' | 'hostname' | 'username' | 'accountName' | 'password' | 'privateKey';
type ListName = 'nodes' | 'users' | 'userGroups';

const INPUTS = { text: TextInput, password: PasswordInput };

/** A text field; `area` for several lines, such as keys. */
export function Text({
  host,
  errors,
  set,
  name,
  required = false,
  mono = false,
  kind = 'text',
  placeholder,
}: FormPart & {
  readonly name: TextName;
  readonly required?: boolean;
  readonly mono?: boolean;
  readonly kind?: 'text' | 'password' | 'area';
  readonly placeholder?: string;
}) {
  const t = useT();
  const Input = INPUTS[kind === 'password' ? 'password' : 'text'];
  const look = mono ? 'font-mono' : '';
  // i18n: new-host:field.*
  // i18n: new-host:help.*
  return (
    <Field
      label={t(`new-host:field.${name}`)}
      help={t(`new-host:help.${name}`)}
      error={errors[name]}
      layout="above"
      required={required}
    >
      {(control) =>
        kind === 'area' ? (
          <TextArea
            {...control}
            rows={4}
            className="font-mono text-meta"
            value={host[name]}
            onChange={(event) => set({ [name]: event.target.value })}
          />
        ) : (
          <Input
            {...control}
            className={look}
            placeholder={placeholder}
            value={host[name]}
            onChange={(event) => set({ [name]: event.target.value })}
          />
        )
      }
    </Field>
  );
}

/** A choice of several rows of a list, by name. */
export function Named({
  host,
  errors,
  set,
  name,
  remote,
}: FormPart & { readonly name: ListName; readonly remote: RemoteOptions }) {
  const t = useT();
  const label = t(`new-host:field.${name}`);
  return (
    <Field label={label} help={t(`new-host:help.${name}`)} error={errors[name]} layout="above">
      {(control) => (
        <RemoteSelect
          control={control}
          label={label}
          remote={remote}
          multiple
          value={host[name]}
          onChange={(ids) => set({ [name]: ids })}
        />
      )}
    </Field>
  );
}
