import { type ComponentPropsWithRef, type ReactNode, useEffect, useRef } from 'react';

interface CheckProps extends Omit<ComponentPropsWithRef<'input'>, 'type' | 'children'> {
  readonly children?: ReactNode;
  readonly indeterminate?: boolean;
}

/** Native checkbox with our styles; a target of 24 px when it has no label. */
export function Checkbox({ children, indeterminate = false, className = '', ...rest }: CheckProps) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = indeterminate;
  }, [indeterminate]);
  const box = <input ref={ref} {...rest} type="checkbox" className="pt-check" />;
  if (children === undefined) {
    return <span className={`inline-grid size-6 place-items-center ${className}`}>{box}</span>;
  }
  return (
    <label className={`inline-flex min-h-6 items-center gap-2 ${className}`}>
      {box}
      {children}
    </label>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

export function RadioGroup({
  name,
  options,
  value,
  onChange,
  disabled,
}: {
  readonly name: string;
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly disabled?: boolean;
}) {
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-1 pt-0.5">
      {options.map((option) => (
        <label key={option.value} className="inline-flex min-h-6 items-center gap-2">
          <input
            type="radio"
            className="pt-check"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={disabled}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

/** Several of a few alternatives. */
export function CheckGroup({
  name,
  options,
  value,
  onChange,
  disabled,
}: {
  readonly name: string;
  readonly options: readonly Option[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  readonly disabled?: boolean;
}) {
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-1 pt-0.5">
      {options.map((option) => (
        <Checkbox
          key={option.value}
          name={name}
          checked={value.includes(option.value)}
          disabled={disabled}
          // In the order of the options, whatever the order of the clicks.
          onChange={(event) =>
            onChange(
              options
                .map((alternative) => alternative.value)
                .filter((alternative) =>
                  alternative === option.value ? event.target.checked : value.includes(alternative),
                ),
            )
          }
        >
          {option.label}
        </Checkbox>
      ))}
    </div>
  );
}

export function Switch({ children, className = '', ...rest }: Omit<CheckProps, 'indeterminate'>) {
  return (
    <label className={`inline-flex min-h-6 items-center gap-2 ${className}`}>
      <input {...rest} type="checkbox" role="switch" className="pt-switch" />
      {children}
    </label>
  );
}

/** Two to five short alternatives in one strip. */
export function Segmented({
  label,
  options,
  value,
  onChange,
}: {
  readonly label: string;
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex rounded-2 border border-line-2 bg-surface-3 p-px"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          className="min-h-6 rounded-1 px-3 text-ink-2 aria-pressed:bg-surface-1 aria-pressed:font-medium aria-pressed:text-ink-1"
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
