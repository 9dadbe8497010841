import { ChevronDown, ChevronRight, ExternalLink, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useT } from '#/lib/i18n';
import type { RouteRecord, Section } from '#/lib/routes';
import { useSession } from '#/lib/session';
import { IconButton } from '#/ui/button';
import { AppLink } from '#/ui/link';
import { Logo, Mark } from '#/ui/logo';
import { menuFor, recordNamed, sectionOf } from '../sections';
import { useOpenRecord } from './open-record';
import { OrganizationSelector } from './OrganizationSelector';
import { sectionIcons } from './section-icons';
import { setSidebarOpen, useSidebar } from './sidebar-state';
import { VersionLine } from './VersionLine';

// Loaded on demand: only phones need it.
const Drawer = lazy(async () => ({ default: (await import('#/ui/drawer')).Drawer }));
const PersonFooter = lazy(() => import('./PersonFooter'));

/** Name of the record that the menu marks: the open screen's own or, for hidden screens, its parent's. */
function menuRecordOf(record: RouteRecord | undefined): RouteRecord | undefined {
  let marked = record;
  while (marked?.hidden && marked.parent !== undefined) marked = recordNamed(marked.parent);
  return marked;
}

function Entry({
  record,
  active,
  icon: IconOf,
  folded = false,
  label,
}: {
  readonly record: RouteRecord;
  readonly active: boolean;
  readonly icon?: (typeof sectionIcons)[keyof typeof sectionIcons];
  readonly folded?: boolean;
  readonly label: string;
}) {
  const t = useT();
  const look = `relative flex min-h-7 items-center gap-2.5 rounded-2 px-2 no-underline max-md:min-h-11 ${
    active
      ? 'bg-accent-soft-2 font-medium text-accent before:absolute before:inset-y-0 before:-left-2 before:w-[3px] before:rounded-full before:bg-accent'
      : 'text-ink-2 hover:bg-hover hover:text-ink-1'
  } ${IconOf ? '' : 'pl-[34px]'} ${folded ? 'justify-center' : ''}`;
  if (record.external !== undefined) {
    return (
      <a
        href={record.external}
        target="_blank"
        rel="noreferrer"
        title={folded ? label : undefined}
        className={look}
      >
        {IconOf && <IconOf className="text-ink-3" aria-hidden />}
        <span className={folded ? 'sr-only' : 'truncate'}>{label}</span>
        {!folded && <ExternalLink className="size-[14px]! text-ink-3" aria-hidden />}
        <span className="sr-only">{t('ui:new_tab')}</span>
      </a>
    );
  }
  return (
    <AppLink to={record.path} title={folded ? label : undefined} className={look}>
      {IconOf && <IconOf className={active ? '' : 'text-ink-3'} aria-hidden />}
      <span className={folded ? 'sr-only' : 'truncate'} aria-current={active ? 'page' : undefined}>
        {label}
      </span>
    </AppLink>
  );
}

function SectionEntry({
  section,
  open,
  marked,
  folded,
  onToggle,
}: {
  readonly section: Section;
  readonly open: boolean;
  readonly marked: RouteRecord | undefined;
  readonly folded: boolean;
  readonly onToggle: () => void;
}) {
  const t = useT();
  const IconOf = sectionIcons[section.icon];
  const label = t(section.title);
  const [first] = section.routes;
  if (!first) return null;
  const inside = section.routes.some((record) => record.name === marked?.name);
  if (folded || (section.routes.length === 1 && !section.grouped)) {
    return <Entry record={first} active={inside} icon={IconOf} folded={folded} label={label} />;
  }
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className={`flex min-h-7 w-full items-center gap-2.5 rounded-2 px-2 text-left hover:bg-hover hover:text-ink-1 max-md:min-h-11 ${inside ? 'font-medium text-ink-1' : 'text-ink-2'}`}
      >
        <IconOf className="text-ink-3" aria-hidden />
        <span className="grow truncate">{label}</span>
        <Chevron className="size-[14px]! text-ink-3" aria-hidden />
      </button>
      {open && (
        <ul className="mt-0.5 grid gap-0.5">
          {section.routes.map((record) => (
            <li key={record.name}>
              <Entry record={record} active={record.name === marked?.name} label={t(record.title)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Menu({ folded }: { readonly folded: boolean }) {
  const t = useT();
  const session = useSession();
  const record = useOpenRecord();
  const marked = menuRecordOf(record);
  const here = marked && sectionOf(marked)?.id;
  const [toggled, setToggled] = useState<{ readonly from: string | undefined; readonly id: string | null }>();
  // The section of the open screen is expanded until the person expands another one or collapses it.
  const openId = toggled && toggled.from === here ? toggled.id : here;
  return (
    <nav aria-label={t('app:shell.menu')} className="min-h-0 grow overflow-y-auto px-2 py-1">
      <ul className="grid gap-0.5">
        {menuFor(session).map((section) => (
          <li key={section.id}>
            <SectionEntry
              section={section}
              marked={marked}
              folded={folded}
              open={section.id === openId}
              onToggle={() => setToggled({ from: here, id: section.id === openId ? null : section.id })}
            />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Logo path in the public settings when no logo has been set. */
const OWN_LOGO = /^\/ui\/(?:logo|mark)\.svg$/;

function Brand({ folded }: { readonly folded: boolean }) {
  const { settings } = useSession();
  const address = folded ? settings.LOGO_URLS?.logo_logout : settings.LOGO_URLS?.logo_index;
  // Our own logo is drawn inline, so that it follows the theme.
  const custom = address !== undefined && OWN_LOGO.test(address) ? undefined : address;
  const t = useT();
  return (
    <AppLink to="/" className="flex items-center rounded-2" title={t('app:shell.home')}>
      {custom ? (
        // Boxes of custom logos: 48 x 48 when folded, 200 x 36 when open; logos scale down to fit the bar.
        <img
          src={custom}
          alt="Postern"
          className={folded ? 'size-9 object-contain' : 'h-8 max-w-[190px] object-contain'}
        />
      ) : folded ? (
        <Mark />
      ) : (
        <Logo />
      )}
    </AppLink>
  );
}

export function Sidebar() {
  const t = useT();
  const { isOpen, isMobile } = useSidebar();
  if (isMobile) {
    return (
      <Suspense>
        <Drawer side="left" title={t('app:shell.menu')} isOpen={isOpen} onClose={() => setSidebarOpen(false)}>
          <div className="flex h-12 items-center justify-between border-b border-line px-4">
            <Brand folded={false} />
            <IconButton
              icon={X}
              kind="text"
              size="lg"
              label={t('ui:close')}
              onClick={() => setSidebarOpen(false)}
            />
          </div>
          <OrganizationSelector folded={false} />
          <Menu folded={false} />
          <VersionLine />
          <PersonFooter />
        </Drawer>
      </Suspense>
    );
  }
  return (
    <aside
      aria-label={t('app:shell.sidebar')}
      className={`sticky top-0 flex h-dvh flex-none flex-col border-r border-line bg-bg ${isOpen ? 'w-[220px]' : 'w-[52px]'}`}
    >
      <div className={`flex h-11 flex-none items-center ${isOpen ? 'px-3.5' : 'justify-center'}`}>
        <Brand folded={!isOpen} />
      </div>
      <OrganizationSelector folded={!isOpen} />
      <Menu folded={!isOpen} />
      {isOpen && <VersionLine />}
    </aside>
  );
}
