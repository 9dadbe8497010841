import { useEffect, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { answerInvitation, fetchInvitations, type Invitation } from './invitations-api';

/** Organizations that invite the person, with buttons to accept or decline. Renders nothing without invitations. */
export function Invitations({ onJoined }: { readonly onJoined: () => void }) {
  const t = useT();
  const [rows, setRows] = useState<readonly Invitation[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  // Does not use a query, because the page for people without an organization is outside of the query client.
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let isGone = false;
    fetchInvitations().then(
      (invitations) => !isGone && setRows(invitations),
      (error: unknown) => !isGone && setFailure(explain(error)),
    );
    return () => {
      isGone = true;
    };
  }, [asked]);
  const answer = async (row: Invitation, verb: 'accept' | 'decline') => {
    setBusy(row.id + verb);
    setFailure(null);
    try {
      await answerInvitation(row.id, verb);
      // i18n: profile:invitations.accepted profile:invitations.declined
      const key = verb === 'accept' ? 'profile:invitations.accepted' : 'profile:invitations.declined';
      toast({ tone: 'ok', text: t(key, { organization: row.org_display }) });
      if (verb === 'accept') onJoined();
    } catch (error) {
      setFailure(explain(error));
    }
    setAsked((times) => times + 1);
    setBusy(null);
  };
  if (rows.length === 0 && failure === null) return null;
  return (
    <Card title={t('profile:invitations.title')} flush>
      {failure !== null && (
        <div className="p-3.5">
          <Note tone="danger" announce>
            {failure}
          </Note>
        </div>
      )}
      <ul>
        {rows.map((row) => (
          <li
            key={row.id}
            className="flex flex-wrap items-center gap-2 border-b border-line px-3.5 py-2.5 last:border-b-transparent"
          >
            <span className="min-w-0 grow basis-60 [overflow-wrap:anywhere]">
              <span className="block font-medium">{row.org_display}</span>
              <span className="block text-meta text-ink-3">
                {/* i18n: profile:invitations.role.* */}
                {row.roles.map((role) => t(`profile:invitations.role.${role}`)).join(', ')} ·{' '}
                {t('profile:invitations.by', { name: row.created_by })} · {t('profile:invitations.until')}{' '}
                <TimeCell value={row.date_expired} />
              </span>
            </span>
            <span className="flex flex-none gap-2">
              <Button
                kind="primary"
                busy={busy === `${row.id}accept`}
                aria-label={t('profile:invitations.accept_this', { organization: row.org_display })}
                onClick={() => void answer(row, 'accept')}
              >
                {t('profile:invitations.accept')}
              </Button>
              <Button
                busy={busy === `${row.id}decline`}
                aria-label={t('profile:invitations.decline_this', { organization: row.org_display })}
                onClick={() => void answer(row, 'decline')}
              >
                {t('profile:invitations.decline')}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <p className="px-3.5 pb-3 text-meta text-ink-3">{t('profile:invitations.effect')}</p>
    </Card>
  );
}
