import { useQuery } from '@tanstack/react-query';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useMay } from '#/lib/session';
import { friendlyTime, parseTime } from '#/lib/time';
import { Card } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { Count, Status, type StatusTone } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import { type Need, type NeedKind, needs } from './api';
import { Loaded } from './Loaded';

interface Look {
  readonly tone: StatusTone;
  readonly verb: string;
  readonly to: string;
  /** Only administrators see the list. */
  readonly isForAdmins?: boolean;
}

const REVIEWS = '/perms/reviews';
const LOOKS: Readonly<Record<NeedKind, Look>> = {
  audit_faults: { tone: 'danger', verb: 'dashboard:verb.see', to: '/audits/events' },
  risky_sessions: { tone: 'danger', verb: 'dashboard:verb.watch', to: paths.sessions('?activeTab=online') },
  silent_terminals: {
    tone: 'danger',
    verb: 'dashboard:verb.see',
    to: '/terminal/terminal',
    isForAdmins: true,
  },
  waiting_terminals: {
    tone: 'warn',
    verb: 'dashboard:verb.accept',
    to: '/terminal/terminal',
    isForAdmins: true,
  },
  failing_copies: { tone: 'warn', verb: 'dashboard:verb.see', to: '/terminal/storages', isForAdmins: true },
  unreachable_assets: {
    tone: 'warn',
    verb: 'dashboard:verb.see',
    to: '/assets/assets?order=connectivity',
    isForAdmins: true,
  },
  permissions_ending: {
    tone: 'warn',
    verb: 'dashboard:verb.extend',
    to: `${REVIEWS}?show=ending`,
    isForAdmins: true,
  },
  application_permissions_ending: {
    tone: 'warn',
    verb: 'dashboard:verb.extend',
    to: `${REVIEWS}?of=application&show=ending`,
    isForAdmins: true,
  },
  permissions_unused: {
    tone: 'unknown',
    verb: 'dashboard:verb.review',
    to: `${REVIEWS}?show=unused`,
    isForAdmins: true,
  },
};

/** What needs a person, the most urgent first, each with the way to where it is dealt with. */
export function Needs() {
  const t = useT();
  const query = useQuery(needs);
  const found = query.data?.results;
  return (
    <Card
      title={t('dashboard:needs')}
      aside={found && found.length > 0 && <Count>{found.length}</Count>}
      flush
    >
      <Loaded query={query}>
        {({ results, date }) =>
          results.length === 0 ? (
            <p className="p-3.5 text-ink-3">{t('dashboard:nothing_due', { time: since(date) })}</p>
          ) : (
            <ul>
              {results.map((need) => (
                <NeedRow key={need.kind} need={need} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function since(text: string): string {
  const date = parseTime(text);
  return date ? friendlyTime(date) : text;
}

function NeedRow({ need: { kind, count, is_more: isMore, session } }: { readonly need: Need }) {
  const t = useT();
  const isAdmin = useMay('admin');
  const { tone, verb, to, isForAdmins } = LOOKS[kind];
  // i18n: dashboard:need.*
  const number = `${count.toLocaleString()}${isMore ? '+' : ''}`;
  const text = t(`dashboard:need.${kind}`, { count, number });
  return (
    <li className="flex items-center gap-3 border-t border-line px-3.5 py-2 first:border-t-0">
      <span className="min-w-0 grow [overflow-wrap:anywhere]">
        <Status tone={tone}>
          <span className="whitespace-normal">{text}</span>
        </Status>
        {session && (
          <span className="block text-meta text-ink-3">
            {visible(session.user)} · {visible(session.asset)}
          </span>
        )}
      </span>
      {(isAdmin || !isForAdmins) && (
        <AppLink to={session ? paths.sessionPreview(session.id) : to}>
          {t(verb)}
          <span className="sr-only">: {text}</span>
        </AppLink>
      )}
    </li>
  );
}
