import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ticket } from 'lucide-react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { isAuditor, type Session, useSession } from '#/lib/session';
import { buttonLook } from '#/ui/button';
import { CountBadge } from '#/ui/count-badge';

/** Number of open tickets requested at once (specification, section 9); the badge shows the total count. */
const OPEN_LIMIT = 15;
const EVERY_MS = 60_000;

/** Tickets are on, the licence is valid, and the person is not an auditor. */
export function offersTickets(session: Session): boolean {
  const { settings } = session;
  return settings.TICKETS_ENABLED === true && settings.XPACK_LICENSE_IS_VALID === true && !isAuditor(session);
}

/** Link to the tickets, with the number of those that wait for this person. */
export function TicketsLink() {
  const t = useT();
  const session = useSession();
  const offered = offersTickets(session);
  const { data } = useQuery({
    queryKey: ['tickets', 'open'],
    queryFn: () =>
      http.get<{ count: number }>('tickets/tickets/', {
        query: {
          assignees__id: session.profile.id,
          status: 'open',
          offset: 0,
          limit: OPEN_LIMIT,
          display: 1,
          draw: 1,
        },
        quiet: true,
      }),
    enabled: offered,
    staleTime: EVERY_MS,
  });
  if (!offered) return null;
  const count = data?.count ?? 0;
  const label = count > 0 ? t('shell:tickets.open', { count }) : t('shell:tickets.label');
  return (
    <Link
      to={paths.tickets}
      className="pt-button"
      {...buttonLook({ kind: 'text' }, true)}
      aria-label={label}
      title={label}
    >
      <span className="relative grid">
        <Ticket aria-hidden />
        <CountBadge count={count} tone="accent" />
      </span>
    </Link>
  );
}
