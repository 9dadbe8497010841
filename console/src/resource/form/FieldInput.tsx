import { Checkbox, Switch } from '#/ui/choice';
import { PasswordInput, TextArea, TextInput } from '#/ui/field';
import { ClockInput } from '#/ui/dates/ClockInput';
import { DateTimeInput } from '#/ui/dates/DateTimeInput';
import { expiryShortcuts } from '#/ui/dates/shortcuts';
import { ChoiceInput, type InputProps } from './ChoiceInput';

/** The control of a field, by its kind. */
export function FieldInput(props: InputProps) {
  const { kind, name, label, meta, spec, control, value, onChange, inputRef, disabled, context } = props;
  const common = { ...control, name, disabled, ref: inputRef } as const;
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
      return (
        <TextArea
          {...common}
          value={text}
          maxLength={meta?.max_length}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'key':
      return (
        <TextArea
          {...common}
          rows={5}
          className="font-mono text-meta"
          value={text}
          placeholder={spec.placeholder}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'json':
      return (
        <TextArea
          {...common}
          rows={5}
          className="font-mono text-meta"
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
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
          type={kind === 'email' || kind === 'url' ? kind : 'text'}
          value={text}
          maxLength={meta?.max_length}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}
