import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { showPasskey } from '#/domain/passkeys/ceremonies';
import { Button } from '#/ui/button';
import { refusal, type SignedIn } from './api';
import { TrustBox } from './TrustBox';

/** A passkey as the second factor. The browser asks only after a click, as browsers demand. */
export function PasskeyForm({
  days,
  onSignedIn,
  onProblem,
}: {
  readonly days: number;
  readonly onSignedIn: (answer: SignedIn) => void;
  readonly onProblem: (text: string | null, slug: string | null) => void;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [trusts, setTrusts] = useState(false);
  const ask = async () => {
    setBusy(true);
    onProblem(null, null);
    try {
      onSignedIn(await showPasskey<SignedIn>('challenge', { trust: trusts }));
    } catch (error) {
      setBusy(false);
      const why = refusal(error);
      onProblem(why.text, why.slug);
    }
  };
  return (
    <div className="grid gap-4">
      <TrustBox days={days} checked={trusts} onChange={setTrusts} />
      <Button kind="primary" size="lg" icon={KeyRound} busy={busy} autoFocus onClick={() => void ask()}>
        {t(busy ? 'passkeys:waiting' : 'passkeys:use')}
      </Button>
    </div>
  );
}
