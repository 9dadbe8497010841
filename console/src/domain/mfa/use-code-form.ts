import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { cleanCode, hasCodeLength } from './api';

/** A form with one code: what it has to show, and what to do when it is sent. */
export interface CodeForm {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly busy: boolean;
  readonly problem: string | null;
  readonly submit: (event: FormEvent) => Promise<void>;
}

/** `send` gives the code to the server; what it throws is shown, and `onRefused` hears it. */
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
