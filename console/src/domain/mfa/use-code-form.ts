import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { cleanCode, hasCodeLength } from './api';

/** State of a form with one code, and the function that sends the code. */
export interface CodeForm {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly busy: boolean;
  readonly problem: string | null;
  readonly submit: (event: FormEvent) => Promise<void>;
}

/** `send` sends the code to the server. If it throws, the error is shown and passed to `onRefused`. */
export function useCodeForm(
  send: (code: string) => Promise<void>,
  onRefused?: (error: unknown) => void,
): CodeForm {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const code = cleanCode(input.current?.value ?? '');
    if (!hasCodeLength(code)) {
      setProblem(t('mfa:error'));
      input.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await send(code);
    } catch (error) {
      onRefused?.(error);
      setProblem(explain(error));
      input.current?.select();
    } finally {
      setBusy(false);
    }
  };

  return { input, busy, problem, submit };
}
