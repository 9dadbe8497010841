import { useQuery } from '@tanstack/react-query';
import { Server, SquareTerminal, Users, type LucideIcon } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { useMay } from '#/lib/session';
import { AppLink } from '#/ui/link';
import { totals, type Totals as Figures } from './api';
import { Loaded } from './Loaded';

interface Entry {
  readonly name: keyof Figures;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly to: string;
  /** Only administrators see the list. */
  readonly isForAdmins?: boolean;
}

const ONLINE = '/terminal/session?activeTab=online';
const ENTRIES: readonly Entry[] = [
  { name: 'total_count_users', label: 'dashboard:users', icon: Users, to: '/users/users', isForAdmins: true },
  {
    name: 'total_count_assets',
    label: 'dashboard:assets',
    icon: Server,
    to: '/assets/assets',
    isForAdmins: true,
  },
  { name: 'total_count_online_users', label: 'dashboard:online_users', icon: Users, to: ONLINE },
  {
    name: 'total_count_online_sessions',
    label: 'dashboard:online_sessions',
    icon: SquareTerminal,
    to: ONLINE,
  },
];

const COLUMNS = { gridTemplateColumns: 'repeat(auto-fit, minmax(130px, 1fr))' };

/** What is there, and what is online now. */
export function Totals() {
  const t = useT();
  const isAdmin = useMay('admin');
  const query = useQuery(totals);
  return (
    <section className="grid gap-3" style={COLUMNS} aria-label={t('dashboard:totals')}>
      {ENTRIES.map(({ name, label, icon: Icon, to, isForAdmins }) => (
        <div key={name} className="pt-card grid gap-1 p-3.5">
          <h2 className="flex items-center gap-2 text-ink-2">
            <Icon size={16} aria-hidden />
            {t(label)}
          </h2>
          <Loaded query={query} lines={1}>
            {(data) => {
              const figure = <span className="text-figure">{data[name].toLocaleString()}</span>;
              return isForAdmins && !isAdmin ? figure : <AppLink to={to}>{figure}</AppLink>;
            }}
          </Loaded>
        </div>
      ))}
    </section>
  );
}
