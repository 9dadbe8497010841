import { CircleAlert, Eye, EyeOff } from 'lucide-react';
import { type ComponentPropsWithRef, type ReactNode, useId, useState } from 'react';
import { useT } from '#/lib/i18n';

/** Ids and ARIA attributes that connect a control with its field. */
export interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
  readonly 'aria-required'?: true;
}

export interface FieldProps {
  readonly label: ReactNode;
  readonly help?: ReactNode;
  readonly error?: string;
  readonly required?: boolean;
  /** `beside`: label column of 132 px; `above`: sign-in and dialogs. */
  readonly layout?: 'beside' | 'above';
  /** For groups of controls (radios, checkboxes): the label becomes a legend. */
  readonly group?: boolean;
  readonly id?: string;
  readonly children: (control: ControlAttributes) => ReactNode;
}

/** Label, control, help and error of a field; an error replaces the help. */
export function Field({
  label,
  help,
  error,
  required = false,
  layout = 'beside',
  group = false,
  id,
  children,
}: FieldProps) {
  const made = useId();
  const controlId = id ?? made;
  const noteId = `${controlId}-note`;
  const hasNote = Boolean(error ?? help);
  const control: ControlAttributes = {
    id: controlId,
    ...(hasNote ? { 'aria-describedby': noteId } : {}),
    ...(error ? { 'aria-invalid': true as const } : {}),
    ...(required ? { 'aria-required': true as const } : {}),
  };
  const labelText = (
    <>
      {required && (
        <span className="mr-1 text-danger" aria-hidden>
          *
        </span>
      )}
      {label}
    </>
  );
  const beside = layout === 'beside';
  return (
    <div
      className={beside ? 'grid gap-x-3 gap-y-1 sm:grid-cols-[132px_minmax(0,1fr)]' : 'grid gap-1'}
      {...(group
        ? {
            role: 'group',
            'aria-labelledby': `${controlId}-label`,
            ...(hasNote ? { 'aria-describedby': noteId } : {}),
          }
        : {})}
    >
      {group ? (
        <span id={`${controlId}-label`} className={beside ? 'pt-1 sm:text-right' : ''}>
          {labelText}
        </span>
      ) : (
        <label htmlFor={controlId} className={beside ? 'pt-1 sm:text-right' : ''}>
          {labelText}
        </label>
      )}
      <div className="min-w-0">
        {children(control)}
        {hasNote && (
          <p
            id={noteId}
            className={`mt-1 flex items-start gap-1 text-meta ${error ? 'text-danger' : 'text-ink-3'}`}
          >
            {error && <CircleAlert className="mt-px size-[14px]" aria-hidden />}
            <span className="min-w-0 [overflow-wrap:anywhere]">{error ?? help}</span>
          </p>
        )}
      </div>
    </div>
  );
}

export function TextInput({ className = '', ...rest }: ComponentPropsWithRef<'input'>) {
  return <input autoComplete="off" spellCheck={false} {...rest} className={`pt-field ${className}`} />;
}

export function TextArea({ className = '', ...rest }: ComponentPropsWithRef<'textarea'>) {
  return <textarea rows={3} spellCheck={false} {...rest} className={`pt-field block ${className}`} />;
}

/** Password field with a button that shows the typed text. */
export function PasswordInput({ className = '', ...rest }: ComponentPropsWithRef<'input'>) {
  const t = useT();
  const [shown, setShown] = useState(false);
  const label = t(shown ? 'ui:password.hide' : 'ui:password.show');
  const EyeIcon = shown ? EyeOff : Eye;
  return (
    <span className="relative block">
      <input
        autoComplete="new-password"
        spellCheck={false}
        {...rest}
        type={shown ? 'text' : 'password'}
        className={`pt-field pr-9! ${className}`}
      />
      <button
        type="button"
        className="absolute inset-y-0 right-1 my-auto grid size-6 place-items-center rounded-2 text-ink-3 hover:text-ink-1"
        aria-label={label}
        aria-pressed={shown}
        title={label}
        onClick={() => setShown(!shown)}
      >
        <EyeIcon aria-hidden />
      </button>
    </span>
  );
}
