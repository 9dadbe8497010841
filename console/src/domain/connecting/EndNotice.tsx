import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { friendlyDuration } from '#/lib/time';
import { Button } from '#/ui/button';
import { NoAccessDialog } from './NoAccessDialog';

/** End reasons that the person caused; they are not shown as errors. */
const QUIET = new Set(['user_closed', 'target_closed']);

/** End reasons that the browser detects itself, because the proxy could not report anything. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  connection_lost: 'connecting:end.connection_lost',
  account_closed: 'connecting:end.signed_out',
};

/** Refusals that a permission can fix. */
const ABOUT_PERMISSION = new Set([
  'no_permission',
  'permission_expired',
  'permission_inactive',
  'action_not_permitted',
  'asset_inactive',
  'protocol_not_offered',
  'unknown_asset',
  'unknown_system_user',
]);

/** A session that has ended, or was refused. Times in ms. */
export interface EndedAttempt {
  readonly end: {
    readonly reason: string;
    readonly message: string;
    readonly exitStatus: number | null;
  } | null;
  readonly refusal: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** Why a session ended or was refused, with the next step. i18n: connecting:end.* */
export function EndNotice({
  attempt,
  assetId,
  onAgain,
  onClose,
}: {
  readonly attempt: EndedAttempt;
  readonly assetId: string;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}) {
  const t = useT();
  const { end, refusal, startedAt, endedAt } = attempt;
  const reason = end?.reason ?? 'refused';
  const words = refusal ?? (end?.message || t(OWN_WORDS[reason] ?? 'connecting:end.other'));
  const [asks, setAsks] = useState(false);
  const isAboutPermission = refusal !== null || ABOUT_PERMISSION.has(reason);
  const isQuiet = QUIET.has(reason) && (end?.exitStatus ?? 0) === 0;
  const facts = [
    startedAt !== null && endedAt !== null
      ? t('connecting:end.lasted', { duration: friendlyDuration((endedAt - startedAt) / 1000) })
      : '',
    end?.exitStatus ? t('connecting:end.exit_status', { status: end.exitStatus }) : '',
  ].filter((fact) => fact !== '');
  return (
    <div
      role="alert"
      className={`flex flex-wrap items-center gap-2 border-t px-3 py-2 ${isQuiet ? 'border-line bg-surface-1' : 'border-warn-line bg-warn-soft'}`}
    >
      <p className="min-w-0 grow [overflow-wrap:anywhere]">
        {words}
        {facts.length > 0 && <span className="text-meta text-ink-2"> · {facts.join(' · ')}</span>}
      </p>
      {isAboutPermission && <Button onClick={() => setAsks(true)}>{t('connecting:why.show')}</Button>}
      <Button icon={RotateCw} onClick={onAgain}>
        {t('connecting:again')}
      </Button>
      <Button kind="text" onClick={onClose}>
        {t('connecting:close')}
      </Button>
      {asks && <NoAccessDialog assetId={assetId} onClose={() => setAsks(false)} />}
    </div>
  );
}
