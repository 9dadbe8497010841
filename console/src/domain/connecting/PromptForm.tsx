import { type FormEvent, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Field, PasswordInput, TextInput } from '#/ui/field';

/** A question of the host while it signs the person in. */
export interface HostPrompt {
  readonly id: number;
  readonly text: string;
  readonly echo: boolean;
}

/** Covers its pane, because the session waits for the answer. */
export function PromptForm({
  prompt: { text, echo },
  onAnswer,
}: {
  readonly prompt: HostPrompt;
  readonly onAnswer: (value: string) => void;
}) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onAnswer(input.current?.value ?? '');
  };
  const Input = echo ? TextInput : PasswordInput;
  return (
    <form className="absolute inset-0 grid place-items-center bg-overlay p-4" onSubmit={submit}>
      <div className="grid w-full max-w-sm gap-3 rounded-3 border border-line-2 bg-surface-1 p-4 shadow-dialog">
        <Field layout="above" label={text}>
          {(control) => (
            // The session waits for this answer.
            <Input {...control} ref={input} autoFocus autoComplete="off" />
          )}
        </Field>
        <Button kind="primary" type="submit">
          {t('connecting:go_on')}
        </Button>
      </div>
    </form>
  );
}
