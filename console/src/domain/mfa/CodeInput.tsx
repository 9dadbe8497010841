import type { ComponentPropsWithRef } from 'react';
import { TextInput } from '#/ui/field';

/** Field for the six digits of an authenticator app. Browsers and phones offer to fill them in. */
export function CodeInput({ className = '', ...rest }: ComponentPropsWithRef<'input'>) {
  return (
    <TextInput
      {...rest}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoCapitalize="none"
      className={`font-mono tracking-[.2em] ${className}`}
    />
  );
}
