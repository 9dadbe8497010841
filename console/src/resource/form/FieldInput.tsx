import { Checkbox, Switch } from '#/ui/choice';
import { PasswordInput, TextArea, TextInput } from '#/ui/field';
import { ClockInput } from '#/ui/dates/ClockInput';
import { DateTimeInput } from '#/ui/dates/DateTimeInput';
import { expiryShortcuts } from '#/ui/dates/shortcuts';
import { ChoiceInput, type InputProps } from './ChoiceInput';

function commonProps({ control, name, disabled, inputRef }: InputProps) {
  return { ...control, name, disabled, ref: inputRef } as const;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return String((value as string | number | null | undefined) ?? '');
}

/** Several lines of text: comments, keys, JSON. */
function LongTextInput(props: InputProps) {
  const { kind, meta, spec, value, onChange } = props;
  const look = kind === 'textarea' ? {} : { rows: 5, className: 'font-mono text-meta' };
  return (
    <TextArea
      {...commonProps(props)}
      {...look}
      value={textOf(value)}
      maxLength={kind === 'textarea' ? meta?.max_length : undefined}
      placeholder={kind === 'key' ? spec.placeholder : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function NumberInput(props: InputProps) {
  const { meta, value, onChange } = props;
  return (
    <TextInput
      {...commonProps(props)}
      type="number"
      className="max-w-40"
      min={meta?.min_value}
      max={meta?.max_value}
      value={textOf(value)}
      onChange={(event) => onChange(event.target.value === '' ? '' : event.target.valueAsNumber)}
    />
  );
}

/** A list of texts, separated by commas. An empty last item stays, so that the next item can be typed. */
function ListInput(props: InputProps) {
  const { value, onChange } = props;
  return (
    <TextInput
      {...commonProps(props)}
      value={textOf(value)}
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
}

/** The control for a field, by the field's kind. */
export function FieldInput(props: InputProps) {
  const { kind, label, meta, spec, control, value, onChange, disabled, context } = props;
  const common = commonProps(props);
  const text = textOf(value);
  switch (kind) {
    case 'custom':
      return spec.render?.(
        {
          id: control.id,
          label,
          value,
          onChange,
          invalid: control['aria-invalid'] === true,
          describedBy: control['aria-describedby'],
          disabled,
        },
        context,
      );
    case 'remote':
    case 'radio':
    case 'select':
    case 'choices':
      return <ChoiceInput {...props} />;
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
    case 'key':
    case 'json':
      return <LongTextInput {...props} />;
    case 'time':
      return <ClockInput {...common} seconds className="max-w-40" value={text} onChange={onChange} />;
    case 'date':
    case 'datetime': {
      const { noEnd, bounds } = spec;
      return (
        <DateTimeInput
          {...common}
          kind={kind}
          calendarLabel={label}
          value={text}
          bounds={bounds?.(context)}
          shortcuts={noEnd && expiryShortcuts(() => noEnd(context))}
          onChange={onChange}
        />
      );
    }
    case 'number':
      return <NumberInput {...props} />;
    case 'list':
      return <ListInput {...props} />;
    default:
      return (
        <TextInput
          {...common}
          type={kind === 'email' || kind === 'url' ? kind : 'text'}
          value={text}
          maxLength={meta?.max_length}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}
