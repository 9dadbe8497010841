import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { canUsePasskeys, showPasskey } from '#/domain/passkeys/ceremonies';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { ensureCsrfCookie, refusal, type SignedIn } from './api';

/** Signs in with a passkey alone. Nothing in browsers that know no passkeys. */
export function PasskeySignIn({ onSignedIn }: { readonly onSignedIn: (answer: SignedIn) => void }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const ask = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await ensureCsrfCookie();
      onSignedIn(await showPasskey<SignedIn>('sign-in'));
    } catch (error) {
      setProblem(refusal(error).text);
      setBusy(false);
    }
  };
  if (!canUsePasskeys()) return null;
  return (
    <div className="mt-4 grid gap-3">
      {problem !== null && (
        <Note tone="danger" announce>
          {problem}
        </Note>
      )}
      <Button size="lg" icon={KeyRound} busy={busy} onClick={() => void ask()}>
        {t(busy ? 'passkeys:waiting' : 'passkeys:sign_in')}
      </Button>
    </div>
  );
}
