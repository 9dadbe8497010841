import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';

interface SentInvitation {
  readonly id: string;
  readonly addressee: string;
  readonly roles: readonly string[];
  readonly date_expired: string;
}

interface MemberInvitation extends Omit<SentInvitation, 'addressee'> {
  readonly user_display: string;
  readonly org_display: string;
}

const SENT = 'users/invitations/';
const OF_MEMBERS = 'users/member-invitations/';

function useInvitations<Row>(path: string) {
  return useQuery({
    queryKey: ['invitations', path],
    queryFn: () => http.get<readonly Row[]>(path, { quiet: true }),
    staleTime: 0,
  });
}

/** Pending invitations of this organization, and members who are invited by other organizations. */
export function OpenInvitations({ onJoined }: { readonly onJoined: () => void }) {
  const t = useT();
  const sent = useInvitations<SentInvitation>(SENT);
  const ofMembers = useInvitations<MemberInvitation>(OF_MEMBERS);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const act = async (id: string, work: () => Promise<unknown>, done: string) => {
    setBusy(id);
    setFailure(null);
    try {
      await work();
      toast({ tone: 'ok', text: done });
      onJoined();
    } catch (error) {
      setFailure(explain(error));
    }
    await Promise.all([sent.refetch(), ofMembers.refetch()]);
    setBusy(null);
  };
  // i18n: users:invite.role.*
  const details = ({ roles, date_expired }: Pick<SentInvitation, 'roles' | 'date_expired'>) => (
    <span className="block text-meta text-ink-3">
      {roles.map((role) => t(`users:invite.role.${role}`)).join(', ')} · {t('users:invite.until')}{' '}
      <TimeCell value={date_expired} />
    </span>
  );
  return (
    <>
      {failure !== null && (
        <Note tone="danger" announce>
          {failure}
        </Note>
      )}
      {(sent.data ?? []).length > 0 && (
        <section className="mt-4 grid gap-1" aria-label={t('users:invite.waiting')}>
          <h3 className="text-lead">{t('users:invite.waiting')}</h3>
          <ul>
            {sent.data?.map((row) => (
              <li key={row.id} className="flex flex-wrap items-center gap-2 border-b border-line py-2">
                <span className="min-w-0 grow basis-48 [overflow-wrap:anywhere]">
                  {row.addressee}
                  {details(row)}
                </span>
                <Button
                  size="sm"
                  busy={busy === row.id}
                  aria-label={t('users:invite.withdraw_this', { name: row.addressee })}
                  onClick={() =>
                    void act(
                      row.id,
                      () => http.delete(`${SENT}${row.id}/`, { quiet: true }),
                      t('users:invite.withdrawn', { name: row.addressee }),
                    )
                  }
                >
                  {t('users:invite.withdraw')}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {(ofMembers.data ?? []).length > 0 && (
        <section className="mt-4 grid gap-1" aria-label={t('users:invite.elsewhere')}>
          <h3 className="text-lead">{t('users:invite.elsewhere')}</h3>
          <p className="text-meta text-ink-3">{t('users:invite.elsewhere_help')}</p>
          <ul>
            {ofMembers.data?.map((row) => (
              <li key={row.id} className="flex flex-wrap items-center gap-2 border-b border-line py-2">
                <span className="min-w-0 grow basis-48 [overflow-wrap:anywhere]">
                  {row.user_display} → {row.org_display}
                  {details(row)}
                </span>
                <Button
                  size="sm"
                  busy={busy === row.id}
                  aria-label={t('users:invite.consent_this', {
                    name: row.user_display,
                    organization: row.org_display,
                  })}
                  onClick={() =>
                    void act(
                      row.id,
                      () => http.post(`${OF_MEMBERS}${row.id}/accept/`, {}, { quiet: true }),
                      t('users:invite.consented', { name: row.user_display, organization: row.org_display }),
                    )
                  }
                >
                  {t('users:invite.consent')}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
