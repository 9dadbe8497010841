import { CheckGroup, RadioGroup } from '#/ui/choice';
import type { ControlAttributes } from '#/ui/field';
import type { FieldMeta } from '../api';
import type { FieldContext, FieldSpec } from '../define';
import { FilterSelect } from './FilterSelect';
import { RemoteSelect } from './RemoteSelect';
import type { ControlKind } from './values';

export interface InputProps {
  readonly kind: ControlKind;
  readonly name: string;
  readonly label: string;
  readonly meta: FieldMeta | undefined;
  readonly spec: FieldSpec;
  readonly control: ControlAttributes;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly inputRef: (element: HTMLElement | null) => void;
  readonly disabled: boolean;
  readonly context: FieldContext;
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

/** Converts the text of the control back to the choice's own value (number, boolean). */
function choiceValue(meta: FieldMeta | undefined, text: string): unknown {
  return meta?.choices?.find((choice) => String(choice.value) === text)?.value ?? text;
}

/** Controls for choices among options: those of the metadata, or the rows of another list. */
export function ChoiceInput(props: InputProps) {
  const { kind, name, label, meta, spec, control, value, onChange, disabled, context } = props;
  const text = Array.isArray(value) ? value.join(', ') : String((value as string | number | null) ?? '');
  switch (kind) {
    case 'remote': {
      const multiple = spec.multiple ?? (Array.isArray(value) || meta?.type === 'list');
      const remote = typeof spec.remote === 'function' ? spec.remote(context) : spec.remote;
      return (
        remote && (
          <RemoteSelect
            control={control}
            label={label}
            remote={remote}
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
        <FilterSelect
          control={control}
          label={label}
          options={optionsOf(meta)}
          value={text}
          disabled={disabled}
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
    default:
      return null;
  }
}
