import { LoaderCircle } from 'lucide-react';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import type { Icon } from './icon';

export type ButtonKind = 'primary' | 'neutral' | 'text' | 'link' | 'danger' | 'danger-text' | 'danger-solid';
export type ControlSize = 'sm' | 'md' | 'lg';

export interface ButtonLook {
  readonly kind?: ButtonKind;
  readonly size?: ControlSize;
  readonly icon?: Icon;
}

/** Attributes that make any element look like a button (native, link, React Aria). */
export function buttonLook({ kind = 'neutral', size = 'md' }: ButtonLook, iconOnly = false) {
  return { 'data-kind': kind, 'data-size': size, ...(iconOnly ? { 'data-icon-only': '' } : {}) };
}

export interface ButtonProps extends ButtonLook, Omit<ComponentPropsWithRef<'button'>, 'disabled'> {
  /** Work is in progress: the button keeps its width and focus and ignores presses. */
  readonly busy?: boolean;
  /** Why the button is disabled; shown as a tooltip, and the button stays focusable. */
  readonly disabledReason?: string;
  readonly disabled?: boolean;
  readonly children?: ReactNode;
}

export function Button({
  kind,
  size,
  icon: IconOf,
  busy = false,
  disabled = false,
  disabledReason,
  children,
  className = '',
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const blocked = busy || disabled || disabledReason !== undefined;
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type -- the default is `button`; callers pass `submit` only
      type={type}
      className={`pt-button ${className}`}
      {...buttonLook({ kind, size }, children === undefined)}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      title={disabledReason ?? rest.title}
      onClick={(event) => {
        if (blocked) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <LoaderCircle className="pt-spin" aria-hidden /> : IconOf && <IconOf aria-hidden />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly icon: Icon;
  /** Name for assistive technology and the tooltip. */
  readonly label: string;
}

export function IconButton({ label, ...rest }: IconButtonProps) {
  return <Button title={label} {...rest} aria-label={label} />;
}
