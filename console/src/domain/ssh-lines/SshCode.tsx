import { useEffect, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { friendlyDuration } from '#/lib/time';
import { withFactorShown } from '#/domain/mfa';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { newSshCode, type SshCode as Code } from './api';
import { CopyBlock } from './SshLines';

/** Whole seconds until a time; 0 afterwards. */
function useSecondsLeft(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((until - now) / 1000));
}

function Shown({ code, until }: { readonly code: string; readonly until: number }) {
  const t = useT();
  const left = useSecondsLeft(until);
  if (left === 0) return <p className="text-ink-2">{t('ssh-lines:code.over')}</p>;
  return (
    <div className="grid gap-1">
      <CopyBlock label={t('ssh-lines:code.title')} text={code} />
      <span className="text-meta text-ink-3">
        {t('ssh-lines:code.left', { time: friendlyDuration(left) })}
      </span>
    </div>
  );
}

/** A code that signs the person in over SSH, once. A click requests it, because each code voids the code before. */
export function SshCode() {
  const t = useT();
  const [shown, setShown] = useState<Code | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const ask = async () => {
    setIsBusy(true);
    setFailed(null);
    try {
      const issued = await withFactorShown(newSshCode);
      if (issued) setShown(issued);
    } catch (error) {
      setShown(null);
      setFailed(explain(error));
    }
    setIsBusy(false);
  };
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-ink-2">{t('ssh-lines:code.what')}</p>
      <div aria-live="polite" className="w-full">
        {shown && <Shown key={shown.code} code={shown.code} until={shown.until} />}
        {failed !== null && <Note tone="danger">{failed}</Note>}
      </div>
      <Button busy={isBusy} onClick={() => void ask()}>
        {shown ? t('ssh-lines:code.next') : t('ssh-lines:code.get')}
      </Button>
    </div>
  );
}
