import type { Control } from 'react-hook-form';
import { Controller } from 'react-hook-form';
import { useT } from '#/lib/i18n';
import { Field } from '#/ui/field';
import type { FieldMap, FieldMeta } from '../api';
import type { FieldContext, FieldSpec, FormValues } from '../define';
import { FieldInput } from './FieldInput';
import { problemOf } from './rules';
import { isSecretStored, StoredSecret } from './StoredSecret';
import { type ControlKind, controlKind, nestedNames } from './values';

const GROUPS = new Set<ControlKind>(['radio', 'choices']);
const NO_SPECS: Readonly<Record<string, FieldSpec>> = {};

export interface FieldControlProps {
  /** Path of the field, `object.field` inside of nested objects. */
  readonly name: string;
  readonly meta: FieldMeta | undefined;
  readonly spec: FieldSpec;
  readonly form: Control<FormValues>;
  readonly context: FieldContext;
  /** Field descriptions of the whole definition, including those of nested objects. */
  readonly specs?: Readonly<Record<string, FieldSpec>>;
}

/** The fields of a nested object, under its label or, when they are flat, among the others. */
function NestedFields({
  name,
  label,
  metas,
  flat,
  ...rest
}: Omit<FieldControlProps, 'meta' | 'spec'> & {
  readonly label: string;
  readonly metas: FieldMap;
  readonly flat: boolean;
}) {
  const { specs = NO_SPECS, context } = rest;
  const names = nestedNames(metas).filter((child) => !specs[`${name}.${child}`]?.isHidden?.(context));
  const fields = names.map((child) => (
    <FieldControl
      key={child}
      {...rest}
      name={`${name}.${child}`}
      meta={metas[child]}
      spec={specs[`${name}.${child}`] ?? {}}
    />
  ));
  if (flat) return fields;
  return (
    <fieldset id={`field-${name}`} className="grid gap-2.5 border-l-2 border-line pl-3">
      <legend className="mb-2 text-meta font-semibold text-ink-2">{label}</legend>
      {fields}
    </fieldset>
  );
}

/** One form field: label, control, rules, help and error. For a nested object: all of its fields. */
export function FieldControl({ name, meta, spec, form, context, specs }: FieldControlProps) {
  const t = useT();
  const kind = controlKind(name, meta, spec);
  const label = spec.label === undefined ? (meta?.label ?? name) : t(spec.label);
  if (kind === 'nested') {
    return (
      <NestedFields
        name={name}
        label={label}
        metas={meta?.children ?? {}}
        flat={spec.flat ?? false}
        form={form}
        context={context}
        specs={specs}
      />
    );
  }
  const asked = typeof spec.required === 'function' ? spec.required(context) : spec.required;
  const required = asked ?? (meta?.required === true && kind !== 'checkbox');
  const helpKey = typeof spec.help === 'function' ? spec.help(context) : spec.help;
  const help = helpKey === undefined ? meta?.help_text : t(helpKey);
  const disabled = spec.isDisabled?.(context) ?? false;
  const isStored = isSecretStored(name, meta, context);
  return (
    <Controller
      name={name}
      control={form}
      rules={{
        validate: (value: unknown) =>
          problemOf(
            value,
            { name, kind, meta, required, rule: spec.rule, bounds: spec.bounds?.(context) },
            t,
          ) ?? true,
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
            // A control with several elements is left when the focus leaves all of them.
            <span
              role="presentation"
              className="contents"
              onBlur={(event) => {
                if (!event.currentTarget.contains(event.relatedTarget)) field.onBlur();
              }}
            >
              <FieldInput
                kind={kind}
                name={name}
                label={label}
                meta={meta}
                spec={spec}
                control={control}
                value={field.value}
                onChange={field.onChange}
                inputRef={field.ref}
                disabled={disabled}
                context={context}
              />
              {isStored !== undefined && (
                <StoredSecret
                  label={label}
                  isStored={isStored}
                  mayRemove={!required && !disabled && spec.irremovable !== true}
                  value={field.value}
                  onChange={field.onChange}
                />
              )}
            </span>
          )}
        </Field>
      )}
    />
  );
}
