import type { Control } from 'react-hook-form';
import { Controller } from 'react-hook-form';
import { useT } from '#/lib/i18n';
import { Checkbox, CheckGroup, RadioGroup, Switch } from '#/ui/choice';
import { Field, type ControlAttributes, PasswordInput, TextArea, TextInput } from '#/ui/field';
import { DateTimeInput, parseTyped } from '#/ui/date-time';
import { Select } from '#/ui/select';
import type { FieldMeta } from '../api';
import type { FieldContext, FieldSpec, FormValues } from '../define';
import { RemoteSelect } from './RemoteSelect';
import { type ControlKind, controlKind } from './values';

interface InputProps {
  readonly kind: ControlKind;
  readonly name: string;
  readonly label: string;
  readonly meta: FieldMeta | undefined;
  readonly spec: FieldSpec;
  readonly control: ControlAttributes;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onBlur: () => void;
  readonly inputRef: (element: HTMLElement | null) => void;
  readonly disabled: boolean;
}

function idsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return value === '' || value === null || value === undefined ? [] : [String(value as string | number)];
}

function optionsOf(meta: FieldMeta | undefined) {
  return (meta?.choices ?? []).map(({ value, display_name }) => ({
    value: String(value),
    label: display_name,
  }));
}

/** The choice's own value (number, boolean) behind the text of the control. */
function choiceValue(meta: FieldMeta | undefined, text: string): unknown {
  return meta?.choices?.find((choice) => String(choice.value) === text)?.value ?? text;
}

function Input(props: InputProps) {
  const { kind, name, label, meta, spec, control, value, onChange, onBlur, inputRef, disabled } = props;
  const common = { ...control, name, onBlur, disabled, ref: inputRef } as const;
  const text = Array.isArray(value)
    ? value.join(', ')
    : String((value as string | number | null | undefined) ?? '');
  switch (kind) {
    case 'custom':
      return spec.render?.({
        id: control.id,
        label,
        value,
        onChange,
        invalid: control['aria-invalid'] === true,
        describedBy: control['aria-describedby'],
        disabled,
      });
    case 'remote': {
      const multiple = spec.multiple ?? (Array.isArray(value) || meta?.type === 'list');
      return (
        spec.remote && (
          <RemoteSelect
            control={control}
            label={label}
            remote={spec.remote}
            multiple={multiple}
            value={idsOf(value)}
            disabled={disabled}
            onChange={(ids) => onChange(multiple ? ids : (ids[0] ?? ''))}
          />
        )
      );
    }
    case 'radio':
      return (
        <RadioGroup
          name={name}
          options={optionsOf(meta)}
          value={text}
          disabled={disabled}
          onChange={(chosen) => onChange(choiceValue(meta, chosen))}
        />
      );
    case 'select':
      return (
        <Select
          id={control.id}
          label={label}
          options={optionsOf(meta)}
          value={text === '' ? null : text}
          isDisabled={disabled}
          isInvalid={control['aria-invalid']}
          describedBy={control['aria-describedby']}
          onChange={(chosen) => onChange(choiceValue(meta, chosen))}
        />
      );
    case 'choices':
      return (
        <CheckGroup
          name={name}
          options={optionsOf(meta?.choices ? meta : meta?.child)}
          value={idsOf(value)}
          disabled={disabled}
          onChange={onChange}
        />
      );
    case 'checkbox':
      return (
        <Checkbox
          {...common}
          className="-ml-[5px]"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case 'switch':
      return (
        <span className="inline-flex pt-0.5">
          <Switch {...common} checked={value === true} onChange={(event) => onChange(event.target.checked)} />
        </span>
      );
    case 'password':
      return <PasswordInput {...common} value={text} onChange={(event) => onChange(event.target.value)} />;
    case 'textarea':
      return (
        <TextArea
          {...common}
          value={text}
          maxLength={meta?.max_length}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'key':
    case 'public-key':
      return (
        <TextArea
          {...common}
          rows={5}
          className="font-mono text-meta"
          value={text}
          placeholder={kind === 'key' ? '-----BEGIN OPENSSH PRIVATE KEY-----' : 'ssh-ed25519 AAAA… name@host'}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'datetime':
      return <DateTimeInput {...common} value={text} onChange={onChange} />;
    case 'number':
      return (
        <TextInput
          {...common}
          type="number"
          className="max-w-40"
          min={meta?.min_value}
          max={meta?.max_value}
          value={text}
          onChange={(event) => onChange(event.target.value === '' ? '' : event.target.valueAsNumber)}
        />
      );
    case 'list':
      return (
        <TextInput
          {...common}
          value={text}
          onChange={(event) =>
            onChange(
              event.target.value
                .split(',')
                .map((part) => part.trim())
                .filter((part, index, all) => part !== '' || index === all.length - 1),
            )
          }
        />
      );
    default:
      return (
        <TextInput
          {...common}
          type={kind === 'email' ? 'email' : 'text'}
          value={text}
          maxLength={meta?.max_length}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

const GROUPS = new Set<ControlKind>(['radio', 'choices']);

export interface FieldControlProps {
  readonly name: string;
  readonly meta: FieldMeta | undefined;
  readonly spec: FieldSpec;
  readonly form: Control<FormValues>;
  readonly context: FieldContext;
}

function isEmpty(value: unknown): boolean {
  return (
    value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0)
  );
}

/** One field of a form: label, control, rules, help and error. */
export function FieldControl({ name, meta, spec, form, context }: FieldControlProps) {
  const t = useT();
  const kind = controlKind(name, meta, spec);
  const label = spec.label === undefined ? (meta?.label ?? name) : t(spec.label);
  const required = spec.required ?? (meta?.required === true && kind !== 'checkbox');
  const helpKey = typeof spec.help === 'function' ? spec.help(context) : spec.help;
  const help = helpKey === undefined ? meta?.help_text : t(helpKey);
  const disabled = spec.isDisabled?.(context) ?? false;
  return (
    <Controller
      name={name}
      control={form}
      rules={{
        validate: (value: unknown) => {
          if (required && isEmpty(value)) return t('resource:form.required');
          if (
            kind === 'email' &&
            typeof value === 'string' &&
            value !== '' &&
            !/^[^@\s]+@[^@\s]+$/.test(value)
          ) {
            return t('resource:form.email');
          }
          if (
            kind === 'datetime' &&
            typeof value === 'string' &&
            value !== '' &&
            parseTyped(value) === null
          ) {
            return t('resource:form.date');
          }
          return true;
        },
      }}
      render={({ field, fieldState }) => (
        <Field
          label={label}
          help={help}
          error={fieldState.error?.message}
          required={required}
          group={GROUPS.has(kind)}
          id={`field-${name}`}
        >
          {(control) => (
            <Input
              kind={kind}
              name={name}
              label={label}
              meta={meta}
              spec={spec}
              control={control}
              value={field.value}
              onChange={field.onChange}
              onBlur={field.onBlur}
              inputRef={field.ref}
              disabled={disabled}
            />
          )}
        </Field>
      )}
    />
  );
}
