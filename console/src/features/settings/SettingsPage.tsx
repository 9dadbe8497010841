import { useBlocker } from '@tanstack/react-router';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { PROVIDERS } from '#/domain/external/providers';
import { RetentionPreview } from '#/domain/retention/RetentionPreview';
import { useActiveTab } from '#/resource/detail/ResourceDetail';
import { lazyPart } from '#/resource/lazy-part';
import { confirm } from '#/ui/confirm';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { AboutTab } from './AboutTab';
import { type Loaded, useSettings } from './api';
import { CategoryForm } from './CategoryForm';
import { type Category, isForm, TABS, type TabId } from './categories';
import { LicenceTab } from './LicenceTab';
import { LdapPanel } from './ldap/LdapPanel';
import { MailTest } from './MailTest';
import { ProviderTest } from './ProviderTest';
import { SettingSearch } from './SettingSearch';
import { SettingsNav } from './SettingsNav';
import { SubscriptionsTab } from './SubscriptionsTab';
import { type SettingsForm, useSettingsForm } from './use-settings-form';
import { SyslogPanel } from './syslog/SyslogPanel';
import { WebhooksTab } from './webhooks/WebhooksTab';
import './settings.css';

const VouchingTab = lazyPart(async () => (await import('./vouching/VouchingTab')).VouchingTab);

/** Asks before unsaved settings are left. Changing the tab keeps them. */
function useLeaveQuestion(hasChanges: boolean): void {
  const t = useT();
  useBlocker({
    shouldBlockFn: async ({ next }) => {
      if (!hasChanges || next.pathname === '/settings') return false;
      return !(await confirm({
        title: t('resource:form.leave.question'),
        effect: t('resource:form.leave.effect'),
        confirmLabel: t('resource:form.leave.confirm'),
        cancelLabel: t('resource:form.leave.stay'),
        danger: true,
      }));
    },
    enableBeforeUnload: () => hasChanges,
  });
}

/** The test beside a form that has one. Each form has its own, so that no result outlives its values. */
function asideOf(tab: TabId, loaded: Loaded, settings: SettingsForm) {
  if (tab === 'email') return <MailTest settings={settings} />;
  if (tab === 'ldap') return <LdapPanel settings={settings} />;
  if (tab === 'terminal') return <RetentionPreview question={{ everywhere: true }} onDemand />;
  if (tab === 'syslog') return <SyslogPanel loaded={loaded} settings={settings} />;
  const provider = PROVIDERS.find((name) => name === tab);
  if (provider === undefined) return undefined;
  return <ProviderTest key={provider} provider={provider} loaded={loaded} settings={settings} />;
}

/** A part that loads its own data, and works without the forms. */
function OwnPanel({ tab }: { readonly tab: Exclude<TabId, Category> }) {
  switch (tab) {
    case 'messages':
      return <SubscriptionsTab />;
    case 'webhooks':
      return <WebhooksTab />;
    case 'openid':
    case 'saml':
      return <VouchingTab key={tab} kind={tab} />;
    case 'licence':
      return <LicenceTab />;
    default:
      return <AboutTab />;
  }
}

function Panel({
  tab,
  loaded,
  settings,
}: {
  readonly tab: TabId;
  readonly loaded: Loaded;
  readonly settings: SettingsForm;
}) {
  if (!isForm(tab)) return <OwnPanel tab={tab} />;
  return (
    <CategoryForm
      key={tab}
      category={tab}
      loaded={loaded}
      settings={settings}
      aside={asideOf(tab, loaded, settings)}
    />
  );
}

function useTab(): readonly [TabId, (id: TabId) => void] {
  const [active, select] = useActiveTab(TABS);
  return [TABS.find((id) => id === active) ?? 'basic', select];
}

function LoadedSettings({
  loaded,
  reload,
}: {
  readonly loaded: Loaded;
  readonly reload: () => Promise<Loaded | undefined>;
}) {
  const t = useT();
  const [tab, select] = useTab();
  const settings = useSettingsForm(loaded, reload);
  useLeaveQuestion(settings.hasChanges);
  return (
    <>
      <PageHeader
        title={t('nav:settings')}
        aside={<span className="text-meta text-ink-3 max-sm:hidden">{t('settings:effect')}</span>}
        actions={<SettingSearch loaded={loaded} />}
      />
      <div className="settings-layout grow">
        <SettingsNav current={tab} settings={settings} onSelect={select} />
        <Panel tab={tab} loaded={loaded} settings={settings} />
      </div>
    </>
  );
}

/** The screen before its forms are loaded, and when they cannot be: the other parts stay reachable. */
function UnloadedSettings({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const t = useT();
  const [tab, select] = useTab();
  return (
    <>
      <PageHeader title={t('nav:settings')} />
      <div className="settings-layout grow">
        <SettingsNav current={tab} onSelect={select} />
        {error === null ? (
          <div className="pt-card" aria-busy="true">
            <SkeletonLines lines={9} />
          </div>
        ) : isForm(tab) ? (
          <FailedState
            title={t('settings:failed')}
            message={explain(error)}
            requestId={requestIdOf(error)}
            onRetry={onRetry}
          />
        ) : (
          <OwnPanel tab={tab} />
        )}
      </div>
    </>
  );
}

/** All system settings, one form for each category. */
export function SettingsPage() {
  const query = useSettings();
  const reload = async () => (await query.refetch()).data;
  if (query.data) return <LoadedSettings loaded={query.data} reload={reload} />;
  return <UnloadedSettings error={query.error} onRetry={() => void query.refetch()} />;
}
