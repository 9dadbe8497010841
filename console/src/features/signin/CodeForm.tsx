import { type FormEvent, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { cleanCode, type CodeKind, hasCodeLength } from '#/domain/mfa/api';
import { CodeInput } from '#/domain/mfa/CodeInput';
import { Button } from '#/ui/button';
import { Field, TextInput } from '#/ui/field';
import { answerChallenge, refusal, type SignedIn } from './api';
import { TrustBox } from './TrustBox';

/** A code of the authenticator app, or a recovery code. */
export function CodeForm({
  kind,
  days,
  onSignedIn,
  onProblem,
}: {
  readonly kind: CodeKind;
  /** Days for which this browser can be trusted; 0: not at all. */
  readonly days: number;
  readonly onSignedIn: (answer: SignedIn) => void;
  /** `slug`: the server's code of the refusal. */
  readonly onProblem: (text: string | null, slug: string | null) => void;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [trusts, setTrusts] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const recovery = kind === 'recovery';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const code = cleanCode(input.current?.value ?? '');
    if (recovery ? code === '' : !hasCodeLength(code)) {
      onProblem(t('mfa:error'), null);
      input.current?.focus();
      return;
    }
    setBusy(true);
    onProblem(null, null);
    try {
      onSignedIn(await answerChallenge(code, kind, trusts));
    } catch (error) {
      setBusy(false);
      const why = refusal(error);
      onProblem(why.text, why.slug);
      if (input.current) {
        input.current.value = '';
        input.current.focus();
      }
    }
  };

  return (
    <form className="grid gap-4" onSubmit={submit} noValidate aria-busy={busy}>
      <Field layout="above" label={t(recovery ? 'mfa:recovery.code' : 'mfa:code.label')}>
        {(control) =>
          recovery ? (
            <TextInput
              {...control}
              ref={input}
              name="code"
              autoCapitalize="none"
              autoFocus
              className="pt-field-lg font-mono"
            />
          ) : (
            <CodeInput {...control} ref={input} name="code" autoFocus className="pt-field-lg" />
          )
        }
      </Field>
      <TrustBox days={days} checked={trusts} onChange={setTrusts} />
      <Button kind="primary" size="lg" type="submit" busy={busy}>
        {t('mfa:sign_in.submit')}
      </Button>
    </form>
  );
}
